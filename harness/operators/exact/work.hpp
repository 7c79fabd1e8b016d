// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/base/json/json.hpp"
#include "harness/operators/exact/tape.hpp"
#include "harness/tensor/shape.hpp"

namespace parity::operators {

/// An argument of a formula: a tensor, or a value.
struct Argument {
  Shape shape = {};
  std::vector<double> values = {};  ///< of a tensor
  size_t first_leaf = 0;            ///< number of its first leaf, if it has gradients
  bool grad = false;
  bool is_tensor = false;
  Json value = nullptr;  ///< if it is not a tensor
};

/// The tensors of a formula's argument of one name: one, or those of a list.
using Arguments = std::map<std::string, std::vector<Argument>>;

/// A tensor as a formula reads it: `x[i]` is element i in row-major order.
template <class T>
class Reading {
 public:
  explicit Reading(const Argument& argument) : argument_(argument) {}
  const Shape& shape() const { return argument_.shape; }
  size_t size() const { return argument_.values.size(); }
  /// Returns the size of a dimension; negative ones count from the last.
  size_t size(int dim) const {
    const int place = dim < 0 ? dim + static_cast<int>(shape().size()) : dim;
    if (place < 0 || place >= static_cast<int>(shape().size()))
      throw UserError("the exact formula needs a tensor of more dimensions; see cases/README.md");
    return static_cast<size_t>(shape()[static_cast<size_t>(place)]);
  }
  T operator[](size_t i) const { return read(i, static_cast<T*>(nullptr)); }

 private:
  template <class Base>
  Traced<Base> read(size_t i, Traced<Base>*) const {
    const auto value = static_cast<Base>(argument_.values[i]);
    if (!argument_.grad)
      return value;
    return {value, static_cast<uint32_t>(argument_.first_leaf + i)};
  }
  template <class Base>
  Base read(size_t i, Base*) const {
    return static_cast<Base>(argument_.values[i]);
  }

  const Argument& argument_;
};

/// What a formula reads and writes. T is Quad, double or float, or Traced of one of them.
template <class T, class Base>
class Work {
 public:
  /// An output: numbers, and what its gradient starts from.
  struct Output {
    Shape shape;
    std::vector<Base> values;
    std::vector<double> cotangent;  ///< empty: no gradients
  };
  /// \param cotangents  what gradients of an output of so many elements start from, by its number
  using Cotangents = std::vector<double> (*)(const void* context, size_t output, size_t count);

  Work(const Arguments& arguments, Tape<Base>* tape, Cotangents cotangents, const void* context)
      : arguments_(arguments), tape_(tape), cotangents_(cotangents), context_(context) {}

  bool has(const std::string& name) const {
    const auto found = arguments_.find(name);
    return found != arguments_.end() && found->second.front().is_tensor;
  }
  /// \throws UserError if there is no such tensor
  Reading<T> in(const std::string& name, size_t item = 0) const {
    if (!has(name))
      throw UserError("the exact formula needs a tensor '" + name +
                      "'; name the input with exact_arguments = {" + name + " = \"INPUT\"}");
    return Reading<T>(arguments_.at(name).at(item));
  }
  size_t items(const std::string& name) const { return has(name) ? arguments_.at(name).size() : 0; }
  /// Returns an element of a tensor of integers.
  int64_t integer(const std::string& name, size_t i) const {
    const Reading<T> whole = in(name);
    if (i >= whole.size())
      throw UserError("the exact formula needs more elements in '" + name + "'; see cases/README.md");
    return static_cast<int64_t>(arguments_.at(name).front().values[i]);
  }
  /// Returns a value that is not a tensor, or `fallback` if there is none.
  template <class V>
  V option(const std::string& name, V fallback) const {
    const auto found = arguments_.find(name);
    if (found == arguments_.end() || found->second.front().value.is_null())
      return fallback;
    try {
      return found->second.front().value.get<V>();
    } catch (const Json::exception&) {
      throw UserError("the exact formula cannot use the value of '" + name + "'; see cases/README.md");
    }
  }

  /// Declares the next output. \return its number
  size_t output(const Shape& shape) {
    const auto count = static_cast<size_t>(element_count(shape));
    outputs_.push_back({shape, std::vector<Base>(count, Base(0)), {}});
    if (tape_ != nullptr)
      outputs_.back().cotangent = cotangents_(context_, outputs_.size() - 1, count);
    return outputs_.size() - 1;
  }
  void set(size_t output, size_t i, const T& value) {
    outputs_[output].values[i] = plain(value);
    if constexpr (!std::is_same_v<T, Base>)
      if (tape_ != nullptr)
        tape_->seed(value.number, static_cast<Base>(outputs_[output].cotangent[i]));
  }
  /// Ends a part of the formula whose numbers no later part reads.
  void next() {
    if (tape_ != nullptr)
      tape_->derive();
  }
  const std::vector<Output>& outputs() const { return outputs_; }

 private:
  const Arguments& arguments_;
  Tape<Base>* tape_;
  Cotangents cotangents_;
  const void* context_;
  std::vector<Output> outputs_ = {};
};

}  // namespace parity::operators
