// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/difference/tally.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/measure/lanes/number.hpp"

namespace parity::measure {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double cosine_of(const DifferenceTally& t) {
  const double e = std::sqrt(t.expected_squares), a = std::sqrt(t.actual_squares);
  if (t.differing == 0 || (e == 0 && a == 0))
    return 1;
  return e == 0 || a == 0 ? 0 : std::clamp(t.product / e / a, -1.0, 1.0);
}

/// Marks the distances as undefined: an element of either side is NaN.
void set_no_distance(Difference& result) {
  result.l2_error = result.relative_l2 = result.max_abs_error = result.relative_linf = nan;
  result.cosine = result.needed_rtol = result.mean_ulp = result.bias_ulp = nan;
  result.max_ulp = Difference::no_ulp;
}

void set_distances(const DifferenceTally& t, Difference& result) {
  result.l2_error = std::sqrt(t.error_squares);
  result.max_abs_error = t.max_abs_error;
  result.relative_l2 = error_ratio(result.l2_error, result.expected_norm);
  result.relative_linf = error_ratio(t.max_abs_error, t.max_expected);
  result.cosine = std::isinf(t.max_abs_error) ? nan : cosine_of(t);
  result.needed_rtol = t.needed_rtol;
  result.max_ulp = t.max_ulp;
  if (result.count == 0)
    return;
  const auto count = static_cast<double>(result.count);
  result.mean_ulp = (t.up.value() + t.down.value()) / count;
  result.bias_ulp = difference_of(t.up, t.down) / count;
}

}  // namespace

double Difference::sqnr_db() const {
  return -20 * std::log10(relative_l2);
}

void require_alike(const TensorView& expected, const TensorView& actual) {
  if (expected.shape != actual.shape)
    throw UserError(fmt::format("cannot compare tensors (shapes {} and {} differ); give tensors of one shape",
                                parity::to_string(expected.shape), parity::to_string(actual.shape)));
  if (expected.dtype != actual.dtype)
    throw UserError(fmt::format("cannot compare tensors (dtypes {} and {} differ); convert one of them",
                                name_of(expected.dtype), name_of(actual.dtype)));
}

Difference finish_difference(const DifferenceTally& t, int64_t count) {
  Difference result;
  result.count = count;
  result.differing = t.differing;
  result.expected_norm = std::sqrt(t.expected_squares);
  result.expected_nan = t.expected_nan;
  result.actual_nan = t.actual_nan;
  result.expected_inf = t.expected_inf;
  result.actual_inf = t.actual_inf;
  result.worst_index = t.first_nan >= 0 ? t.first_nan : t.largest >= 0 ? t.largest : t.first_other;
  if (t.first_nan >= 0)
    set_no_distance(result);
  else
    set_distances(t, result);
  return result;
}

}  // namespace parity::measure
