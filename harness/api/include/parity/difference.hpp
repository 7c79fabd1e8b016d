// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "tensor_view.hpp"

namespace parity::api {

/// What counts as equal. The defaults are the strictest.
struct DifferencePolicy {
  bool nan_equals_nan = false;      ///< two NaN at one place are equal
  bool zero_sign_ignored = false;   ///< -0 is +0
  bool subnormals_as_zero = false;  ///< subnormal numbers count as 0
};

/// The difference of a tensor `actual` (a) from a tensor `expected` (e) of the same dtype and shape.
///
/// A NaN makes its element differ and the distances NaN. Equal infinities have distance 0, others infinity. A
/// DifferencePolicy can relax these rules.
struct Difference {
  /// Value of max_ulp if a NaN has no distance.
  static constexpr uint64_t no_ulp = std::numeric_limits<uint64_t>::max();

  int64_t count = 0;      ///< elements
  int64_t differing = 0;  ///< elements with different bits, or NaN

  double l2_error = 0;       ///< ||a - e||_2
  double expected_norm = 0;  ///< ||e||_2
  double relative_l2 = 0;    ///< ||a - e||_2 / ||e||_2
  double max_abs_error = 0;  ///< max |a - e|
  double relative_linf = 0;  ///< max |a - e| / max |e|
  double cosine = 1;         ///< <a, e> / (||a|| ||e||)
  uint64_t max_ulp = 0;      ///< largest distance [steps of the dtype]; |a - e| for integers
  double mean_ulp = 0;       ///< over all elements
  double bias_ulp = 0;       ///< mean of the signed steps; above 0 if actual is higher on average
  double needed_rtol = 0;    ///< smallest rtol with |a - e| <= rtol |e| everywhere
  int64_t expected_nan = 0;  ///< NaN elements of expected
  int64_t actual_nan = 0;    ///< NaN elements of actual
  int64_t expected_inf = 0;  ///< infinite elements of expected
  int64_t actual_inf = 0;    ///< infinite elements of actual

  int64_t worst_index = -1;   ///< row-major index of the worst element; -1 if all bits are equal
  double worst_expected = 0;  ///< value of expected there
  double worst_actual = 0;    ///< value of actual there

  /// Returns whether both sides have the same bits and no NaN.
  bool identical() const { return differing == 0; }
};

/// Returns the difference of two tensors. The bits of the result do not depend on machine and threads.
/// \throws Error if dtype or shape differ
Difference difference_of(const TensorView& expected, const TensorView& actual,
                         const DifferencePolicy& policy = {});

}  // namespace parity::api
