// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/operators/exact/quad.hpp"

namespace parity::operators {

/// The operations that led from inputs (leaves) to outputs, for derivatives in reverse mode. Formulas compute
/// rows one after the other, so that a tape holds the operations of one row only.
template <class Base>
class Tape {
 public:
  static constexpr uint32_t none = std::numeric_limits<uint32_t>::max();  ///< a constant

  /// Begins with so many leaves, whose numbers are 0, 1, ...
  explicit Tape(size_t leaves) : gradients_(leaves, Base(0)) {}

  /// Adds an operation with the derivatives by its operands. \return its number
  uint32_t add(uint32_t a, Base by_a, uint32_t b, Base by_b) {
    if (nodes_.size() + gradients_.size() >= most)
      throw UserError(
          "cannot derive the formula (one row of it has more than 200 million operations); give "
          "smaller sizes");
    nodes_.push_back({a, b, by_a, by_b});
    return static_cast<uint32_t>(gradients_.size() + nodes_.size() - 1);
  }
  /// Adds to the gradient with respect to the result of an operation, or a leaf.
  void seed(uint32_t number, Base gradient) {
    if (number != none)
      seeds_.push_back({number, gradient});
  }
  /// Carries the seeds to the leaves and forgets the operations.
  void derive() {
    std::vector<Base> reached(nodes_.size(), Base(0));
    const auto give = [&](uint32_t number, Base gradient) {
      if (number == none)
        return;
      (number < gradients_.size() ? gradients_[number] : reached[number - gradients_.size()]) += gradient;
    };
    for (const Seed& seed : seeds_)
      give(seed.number, seed.gradient);
    for (size_t i = nodes_.size(); i-- > 0;) {
      give(nodes_[i].a, reached[i] * nodes_[i].by_a);
      give(nodes_[i].b, reached[i] * nodes_[i].by_b);
    }
    nodes_.clear();
    seeds_.clear();
  }
  /// Returns the gradient of each leaf.
  const std::vector<Base>& gradients() const { return gradients_; }

  /// Returns the tape that operations are added to.
  static Tape*& current() {
    static Tape* tape = nullptr;
    return tape;
  }

 private:
  static constexpr size_t most = 200'000'000;
  struct Node {
    uint32_t a, b;
    Base by_a, by_b;
  };
  struct Seed {
    uint32_t number;
    Base gradient;
  };

  std::vector<Base> gradients_;
  std::vector<Node> nodes_ = {};
  std::vector<Seed> seeds_ = {};
};

/// A number whose operations the current tape records. Formulas are templates over the type of number and
/// work with these as with Quad, double and float.
template <class Base>
struct Traced {
  Base value = Base(0);
  uint32_t number = Tape<Base>::none;

  Traced() = default;
  Traced(Base constant) : value(constant) {}  // NOLINT(google-explicit-constructor): constants in formulas
  Traced(Base result, uint32_t operation) : value(result), number(operation) {}
};

/// Returns the result of an operation with the derivatives by its operands.
template <class Base>
Traced<Base> operation(Base value, const Traced<Base>& a, Base by_a, const Traced<Base>& b = {},
                       Base by_b = Base(0)) {
  if (a.number == Tape<Base>::none && b.number == Tape<Base>::none)
    return value;
  return {value, Tape<Base>::current()->add(a.number, by_a, b.number, by_b)};
}

template <class Base>
Traced<Base> operator+(const Traced<Base>& a, const Traced<Base>& b) {
  return operation<Base>(a.value + b.value, a, Base(1), b, Base(1));
}
template <class Base>
Traced<Base> operator-(const Traced<Base>& a, const Traced<Base>& b) {
  return operation<Base>(a.value - b.value, a, Base(1), b, Base(-1));
}
template <class Base>
Traced<Base> operator*(const Traced<Base>& a, const Traced<Base>& b) {
  return operation<Base>(a.value * b.value, a, b.value, b, a.value);
}
template <class Base>
Traced<Base> operator/(const Traced<Base>& a, const Traced<Base>& b) {
  const Base value = a.value / b.value;
  return operation<Base>(value, a, Base(1) / b.value, b, -value / b.value);
}
template <class Base>
Traced<Base> sqrt(const Traced<Base>& a) {
  const Base value = sqrt(a.value);
  return operation<Base>(value, a, Base(1) / (value + value));
}
template <class Base>
Traced<Base> exp(const Traced<Base>& a) {
  const Base value = exp(a.value);
  return operation<Base>(value, a, value);
}
template <class Base>
Traced<Base> log(const Traced<Base>& a) {
  return operation<Base>(log(a.value), a, Base(1) / a.value);
}

/// Returns a number without its history, to compare with.
template <class Base>
Base plain(const Traced<Base>& a) {
  return a.value;
}
inline Quad plain(Quad a) {
  return a;
}
inline double plain(double a) {
  return a;
}
inline float plain(float a) {
  return a;
}

}  // namespace parity::operators
