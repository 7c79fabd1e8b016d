// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/tensors/factor.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "harness/tensor/conversions.hpp"

namespace parity::compare {
namespace {

constexpr double largest_whole = 1024;  // as for channels (pattern.hpp)
constexpr double roundings = 2;         // of a product: of the factor and of the result

/// The precision of a dtype.
struct Precision {
  double roundoff;      ///< largest relative error of one rounding
  double least_normal;  ///< below it numbers have fewer digits
};

Precision precision_of(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return {0x1p-53, 0x1p-1022};
    case DType::bfloat16:
      return {0x1p-8, 0x1p-126};
    case DType::float16:
      return {0x1p-11, 0x1p-14};
    case DType::float8_e4m3fn:
      return {0x1p-4, 0x1p-6};
    case DType::float8_e5m2:
      return {0x1p-3, 0x1p-14};
    default:
      return {0x1p-24, 0x1p-126};
  }
}

/// Two tensors of one dtype and shape, element by element in float64.
class Elements {
 public:
  /// \param noise  as for find_factor
  Elements(const TensorView& expected, const TensorView& actual, double noise)
      : expected_(expected), actual_(actual), precision_(precision_of(expected.dtype)) {
    double largest = 0;
    for (int64_t i = 0; noise > 0 && i < size(); ++i)
      largest = std::max(largest, std::abs(this->expected(i)));
    noise_ = noise > 0 ? noise * largest : 0;
  }

  int64_t size() const { return expected_.size(); }
  double expected(int64_t i) const { return at(expected_, i); }
  double actual(int64_t i) const { return at(actual_, i); }
  double roundoff() const { return precision_.roundoff; }
  /// Returns the difference that does not count.
  double noise() const { return noise_; }

  /// Returns whether a factor gives every element that differs. \param exact  without rounding
  bool fit(double factor, bool exact) const {
    for (int64_t i = 0; i < size(); ++i) {
      const double e = expected(i), a = actual(i), product = factor * e, lost = std::abs(a - product);
      if (std::abs(a - e) <= noise_ || lost == 0)
        continue;
      const double subnormal = std::abs(product) < precision_.least_normal
                                   ? precision_.least_normal * precision_.roundoff * roundings
                                   : 0;
      const double allowed = exact ? 0 : roundings * precision_.roundoff * std::abs(product);
      if (!(lost <= allowed + subnormal + noise_ * std::abs(factor)))
        return false;
    }
    return true;
  }

 private:
  static double at(const TensorView& view, int64_t i) {
    return widen(view.dtype, view.raw().data() + static_cast<size_t>(i) * size_of(view.dtype));
  }
  const TensorView& expected_;
  const TensorView& actual_;
  Precision precision_;
  double noise_ = 0;
};

/// What the elements that differ give at first sight.
struct FirstRatio {
  double factor = 0;  ///< of the largest of them, so that no other is rounded more
  int64_t elements = 0;
};

/// Returns nothing if no element differs, one is not finite, or only the expected one is zero.
std::optional<FirstRatio> first_ratio(const Elements& elements) {
  FirstRatio found;
  double largest = 0;
  for (int64_t i = 0; i < elements.size(); ++i) {
    const double e = elements.expected(i), a = elements.actual(i);
    if (!std::isfinite(e) || !std::isfinite(a))
      return std::nullopt;
    if (std::abs(a - e) <= elements.noise())
      continue;
    if (e == 0)
      return std::nullopt;
    ++found.elements;
    if (std::abs(e) > largest) {
      largest = std::abs(e);
      found.factor = a / e;
    }
  }
  return found.elements > 0 && std::isfinite(found.factor) ? std::optional(found) : std::nullopt;
}

/// Returns the nearest power of two, with the sign of the factor.
double nearest_power(double factor) {
  return std::copysign(std::exp2(std::round(std::log2(std::abs(factor)))), factor);
}

/// Returns the nearest k or 1/k up to `largest_whole`; the factor itself if there is none near it.
double nearest_whole(double factor, double near) {
  const double size = std::abs(factor);
  const double k = std::round(size < 1 ? 1 / size : size);
  const double whole = size < 1 ? 1 / k : k;
  const bool is_near = k >= 2 && k <= largest_whole && std::abs(size / whole - 1) <= near;
  return std::copysign(is_near ? whole : size, factor);
}

}  // namespace

std::optional<TensorFactor> find_factor(const TensorView& expected, const TensorView& actual, double noise) {
  if (expected.dtype != actual.dtype || expected.shape != actual.shape || !is_floating(expected.dtype))
    return std::nullopt;
  const Elements elements(expected, actual, noise);
  const std::optional<FirstRatio> first = first_ratio(elements);
  if (!first)
    return std::nullopt;
  const double ratio = std::abs(first->factor) <= noise ? 0 : first->factor;
  const double power = ratio == 0 ? 0 : nearest_power(ratio);
  const bool says_enough = first->elements > 1 || power == -1 || power == 0;
  if (power != 1 && says_enough && elements.fit(power, noise == 0))
    return TensorFactor{power, noise == 0, first->elements};
  const double near = roundings * elements.roundoff() + noise;
  if (first->elements < 2 || ratio == 0 || std::abs(ratio - 1) <= 2 * near)
    return std::nullopt;
  for (const double factor : {nearest_whole(ratio, near), ratio})
    if (elements.fit(factor, false))
      return TensorFactor{factor, false, first->elements};
  return std::nullopt;
}

std::string TensorFactor::text() const {
  if (value == 0)
    return "zero";
  const double size = std::abs(value), inverse = 1 / size;
  if (size < 1 && inverse == std::round(inverse) && std::log2(inverse) != std::round(std::log2(inverse)))
    return fmt::format("{}1/{} of", value < 0 ? "-" : "", inverse);
  return fmt::format("{:.9g} times", value);
}

}  // namespace parity::compare
