// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/difference.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "harness/measure/simd.hpp"
#include "harness/measure/widen.hpp"

namespace parity {
namespace {

constexpr size_t block = 1024;  // elements widened at a time; both sides fit the first-level cache
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Running sums over the blocks seen so far.
struct Totals {
  double error_squares = 0, expected_squares = 0, actual_squares = 0, product = 0;
  double max_expected = 0;
  Difference found;
};

/// Both sides of one block: raw and widened.
struct Block {
  const std::byte* expected_raw;
  const std::byte* actual_raw;
  const double* expected;
  const double* actual;
  size_t count;
  int64_t first;  ///< flat index of the block's first element
};

/// A float's place on the number line of its type, -0 at +0 (M1); an integer's is itself.
template <class Bits, bool floating>
auto key_of(Bits bits) {
  using Signed = std::make_signed_t<Bits>;
  if constexpr (floating) {
    constexpr Bits sign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
    const auto magnitude = static_cast<Signed>(bits & static_cast<Bits>(~sign));
    return static_cast<Signed>(bits & sign ? -magnitude : magnitude);
  } else {
    return bits;
  }
}

/// Steps between two elements, exact in the unsigned type of their width.
template <class Bits, bool floating>
std::make_unsigned_t<Bits> steps_between(Bits a, Bits b) {
  using Unsigned = std::make_unsigned_t<Bits>;
  const auto ka = key_of<Bits, floating>(a), kb = key_of<Bits, floating>(b);
  return static_cast<Unsigned>(ka > kb ? static_cast<Unsigned>(ka) - static_cast<Unsigned>(kb)
                                       : static_cast<Unsigned>(kb) - static_cast<Unsigned>(ka));
}

template <class Bits>
Bits load(const std::byte* raw, size_t i) {
  Bits bits;
  std::memcpy(&bits, raw + i * sizeof bits, sizeof bits);
  return bits;
}

/// |a - e|; infinite where infinities do not agree.
template <class Bits, bool floating>
double distance(const Block& b, size_t i) {
  if constexpr (!floating && sizeof(Bits) == 8)  // the difference can be exact where the values are not
    return static_cast<double>(
        steps_between<Bits, false>(load<Bits>(b.expected_raw, i), load<Bits>(b.actual_raw, i)));
  return b.expected[i] == b.actual[i] ? 0.0 : std::fabs(b.actual[i] - b.expected[i]);
}

void note_worst(const Block& b, size_t i, Difference& found) {
  found.worst_index = b.first + static_cast<int64_t>(i);
  found.worst_expected = b.expected[i];
  found.worst_actual = b.actual[i];
}

/// error / reference, with no accident at the ends: an overflowed reference proves nothing.
double ratio(double error, double reference) {
  if (error == 0)
    return 0;
  if (std::isinf(reference) && std::isfinite(error))
    return std::numeric_limits<double>::quiet_NaN();
  return reference == 0 || std::isinf(error) ? infinity : error / reference;
}

/// One element at a time: blocks with NaN or infinity, and int64.
template <class Bits, bool floating>
void add_with_care(const Block& b, Totals& t) {
  Difference& found = t.found;
  for (size_t i = 0; i < b.count; ++i) {
    const double e = b.expected[i], a = b.actual[i];
    const Bits e_bits = load<Bits>(b.expected_raw, i), a_bits = load<Bits>(b.actual_raw, i);
    if (std::isnan(e) || std::isnan(a)) {
      if (found.expected_nan + found.actual_nan == 0)
        note_worst(b, i, found);
      found.expected_nan += std::isnan(e);
      found.actual_nan += std::isnan(a);
      ++found.differing;
    } else {
      const double error = distance<Bits, floating>(b, i);
      t.error_squares += error * error;
      found.needed_rtol = std::max(found.needed_rtol, ratio(error, std::fabs(e)));
      found.max_ulp = std::max(found.max_ulp, uint64_t{steps_between<Bits, floating>(e_bits, a_bits)});
      found.differing += e_bits != a_bits;
      const bool first_bits = found.worst_index < 0 && e_bits != a_bits;
      if (found.expected_nan + found.actual_nan == 0 && (error > found.max_abs_error || first_bits))
        note_worst(b, i, found);
      found.max_abs_error = std::max(found.max_abs_error, error);
      if (std::isfinite(e) && std::isfinite(a))
        t.product += e * a;
    }
    found.expected_inf += std::isinf(e);
    found.actual_inf += std::isinf(a);
    if (std::isfinite(e)) {
      t.expected_squares += e * e;
      t.max_expected = std::max(t.max_expected, std::fabs(e));
    }
    if (std::isfinite(a))
      t.actual_squares += a * a;
  }
}

double lane_sum(const simd::Doubles& v) {
  double values[simd::lanes];
  std::memcpy(values, &v, sizeof v);
  return simd::sum(values);
}

double lane_maximum(const simd::Doubles& v) {
  double values[simd::lanes];
  std::memcpy(values, &v, sizeof v);
  return simd::maximum(values);
}

/// Sums over a block of finite values, padded with zeros to whole lanes.
/// \return false, with nothing added, if a value was not finite
template <class Bits, bool floating>
bool add_finite(const Block& b, Totals& t) {
  simd::Doubles error_squares = {}, expected_squares = {}, actual_squares = {}, product = {};
  simd::Doubles max_error = {}, max_expected = {};
  simd::SignedWords beyond = {};
  const double rtol = t.found.needed_rtol;
  const auto absolute = [](simd::Doubles v) {
    return (simd::Doubles)((simd::Words)v & ~(uint64_t{1} << 63));
  };
  for (size_t i = 0; i < b.count; i += simd::lanes) {
    simd::Doubles e, a;
    std::memcpy(&e, b.expected + i, sizeof e);
    std::memcpy(&a, b.actual + i, sizeof a);
    const simd::Doubles gap = a - e;
    const simd::Doubles error = absolute(gap), size = absolute(e);
    error_squares += gap * gap;
    expected_squares += e * e;
    actual_squares += a * a;
    product += e * a;
    max_error = error > max_error ? error : max_error;
    max_expected = size > max_expected ? size : max_expected;
    beyond |= error > rtol * size;
  }
  const double ee = lane_sum(expected_squares), aa = lane_sum(actual_squares);
  if (!std::isfinite(ee) || !std::isfinite(aa))
    return false;
  t.expected_squares += ee;
  t.actual_squares += aa;
  t.error_squares += lane_sum(error_squares);
  t.product += lane_sum(product);
  t.max_expected = std::max(t.max_expected, lane_maximum(max_expected));
  Difference& found = t.found;
  int64_t any = 0;
  for (size_t i = 0; i < simd::lanes; ++i)
    any |= beyond[i];
  if (any)
    for (size_t i = 0; i < b.count; ++i)
      found.needed_rtol =
          std::max(found.needed_rtol, ratio(distance<Bits, floating>(b, i), std::fabs(b.expected[i])));
  if (const double most = lane_maximum(max_error); most > found.max_abs_error) {
    found.max_abs_error = most;
    size_t i = 0;
    while (distance<Bits, floating>(b, i) != most)
      ++i;
    if (found.expected_nan + found.actual_nan == 0)
      note_worst(b, i, found);
  }
  return true;
}

/// Bits that differ, and the largest number of steps between two elements.
template <class Bits, bool floating>
void add_bits(const Block& b, Difference& found) {
  using Unsigned = std::make_unsigned_t<Bits>;
  Unsigned most = 0;
  uint32_t differing = 0;
  for (size_t i = 0; i < b.count; ++i) {
    const Bits e = load<Bits>(b.expected_raw, i), a = load<Bits>(b.actual_raw, i);
    const Unsigned steps = steps_between<Bits, floating>(e, a);
    most = steps > most ? steps : most;
    differing += e != a;
  }
  if (differing > 0 && found.worst_index < 0) {  // equal values of other bits: -0 against +0
    size_t i = 0;
    while (load<Bits>(b.expected_raw, i) == load<Bits>(b.actual_raw, i))
      ++i;
    note_worst(b, i, found);
  }
  found.max_ulp = std::max<uint64_t>(found.max_ulp, most);
  found.differing += differing;
}

template <class Bits, bool floating>
struct Measure {
  Totals operator()(const TensorView* expected, const TensorView* actual) const {
    Totals totals;
    const auto* e_raw = static_cast<const std::byte*>(expected->data);
    const auto* a_raw = static_cast<const std::byte*>(actual->data);
    const auto count = static_cast<size_t>(expected->size());
    alignas(64) double e[block], a[block];
    for (size_t first = 0; first < count; first += block) {
      const size_t here = std::min(block, count - first);
      const size_t padded = (here + simd::lanes - 1) / simd::lanes * simd::lanes;
      Block b{e_raw + first * sizeof(Bits), a_raw + first * sizeof(Bits), e, a, here,
              static_cast<int64_t>(first)};
      widen_block(expected->dtype, b.expected_raw, here, e);
      widen_block(expected->dtype, b.actual_raw, here, a);
      std::fill(e + here, e + padded, 0.0);
      std::fill(a + here, a + padded, 0.0);
      const bool exact = floating || sizeof(Bits) < 8;
      if (exact && add_finite<Bits, floating>(b, totals))
        add_bits<Bits, floating>(b, totals.found);
      else
        add_with_care<Bits, floating>(b, totals);
    }
    return totals;
  }
};

Totals totals_of(const TensorView& expected, const TensorView& actual) {
  switch (expected.dtype) {
    case DType::float64:
      return simd::run(Measure<uint64_t, true>{}, &expected, &actual);
    case DType::float32:
      return simd::run(Measure<uint32_t, true>{}, &expected, &actual);
    case DType::bfloat16:
    case DType::float16:
      return simd::run(Measure<uint16_t, true>{}, &expected, &actual);
    case DType::float8_e4m3fn:
    case DType::float8_e5m2:
      return simd::run(Measure<uint8_t, true>{}, &expected, &actual);
    case DType::int64:
      return simd::run(Measure<int64_t, false>{}, &expected, &actual);
    case DType::int32:
      return simd::run(Measure<int32_t, false>{}, &expected, &actual);
    case DType::int16:
      return simd::run(Measure<int16_t, false>{}, &expected, &actual);
    case DType::int8:
      return simd::run(Measure<int8_t, false>{}, &expected, &actual);
    case DType::uint8:
    case DType::bool8:
      return simd::run(Measure<uint8_t, false>{}, &expected, &actual);
  }
  throw InternalError("difference: dtype " + std::to_string(static_cast<int>(expected.dtype)));
}

double cosine_of(const Totals& t) {
  const double e = std::sqrt(t.expected_squares), a = std::sqrt(t.actual_squares);
  if (t.found.differing == 0 || (e == 0 && a == 0))
    return 1;
  return e == 0 || a == 0 ? 0 : std::clamp(t.product / e / a, -1.0, 1.0);
}

}  // namespace

Difference measure_difference(const TensorView& expected, const TensorView& actual) {
  if (expected.shape != actual.shape)
    throw UserError("shape " + to_string(expected.shape) + " against " + to_string(actual.shape) +
                    " (cannot align); compare tensors of one shape");
  if (expected.dtype != actual.dtype)
    throw UserError("dtype " + std::string(name_of(expected.dtype)) + " against " +
                    std::string(name_of(actual.dtype)) +
                    " (their bits mean different numbers); convert one side");
  const Totals totals = totals_of(expected, actual);
  Difference result = totals.found;
  result.count = expected.size();
  result.expected_norm = std::sqrt(totals.expected_squares);
  if (result.expected_nan + result.actual_nan > 0) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    result.l2_error = result.relative_l2 = result.max_abs_error = result.relative_linf = nan;
    result.cosine = result.needed_rtol = nan;
    result.max_ulp = Difference::no_ulp;
    return result;
  }
  result.l2_error = std::sqrt(totals.error_squares);
  result.relative_l2 = ratio(result.l2_error, result.expected_norm);
  result.relative_linf = ratio(result.max_abs_error, totals.max_expected);
  result.cosine =
      std::isinf(result.max_abs_error) ? std::numeric_limits<double>::quiet_NaN() : cosine_of(totals);
  return result;
}

}  // namespace parity
