// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include "harness/measure/difference_profile.hpp"
#include "harness/measure/whole_digest.hpp"
#include "harness/tensor/tensor_view.hpp"

namespace parity {

/// How far one tensor is from another of the same dtype and shape. Measured once; tolerances decide
/// elsewhere.
///
/// A NaN on either side, or on both, makes its element differ and the distances NaN, which no tolerance
/// accepts. Equal infinities are distance 0, other infinities are infinitely far. Norms of a side are over
/// its finite elements. Where the reference is zero and the other side is not, relative distances are
/// infinite. Subnormal numbers are numbers like others. DifferencePolicy can ask for less.
struct Difference {
  /// max_ulp where a NaN has no distance.
  static constexpr uint64_t no_ulp = std::numeric_limits<uint64_t>::max();

  int64_t count = 0;      ///< elements
  int64_t differing = 0;  ///< with other bits (-0 is not +0), or NaN

  double l2_error = 0;       ///< ||a - e||_2
  double expected_norm = 0;  ///< ||e||_2
  double relative_l2 = 0;    ///< ||a - e||_2 / ||e||_2 (M2)
  double max_abs_error = 0;  ///< max |a - e|
  double relative_linf = 0;  ///< max |a - e| / max |e| (M2)
  double cosine = 1;         ///< <a, e> / (||a|| ||e||); 1 for two zero vectors, 0 for one
  uint64_t max_ulp = 0;      ///< M1, in the dtype's own steps; |a - e| of integers
  double mean_ulp = 0;       ///< over all elements
  double bias_ulp = 0;       ///< mean of the signed steps: above 0 where actual lies higher
  double needed_rtol = 0;    ///< smallest rtol with |a - e| <= rtol |e| everywhere (M3 at atol 0)
  int64_t expected_nan = 0;  ///< elements that are NaN ...
  int64_t actual_nan = 0;
  int64_t expected_inf = 0;  ///< ... or infinite, a side
  int64_t actual_inf = 0;

  /// The first NaN; without one the first element with the largest |a - e|; without a difference in value the
  /// first with other bits. -1 if all bits are equal.
  int64_t worst_index = -1;
  double worst_expected = 0;
  double worst_actual = 0;

  std::optional<DifferenceProfile> profile;  ///< where it lies; only on request
  std::optional<DigestPair> digests;  ///< of both sides' bits as they are, whatever the policy; likewise

  /// The same bits, and no NaN.
  bool identical() const { return differing == 0; }
  /// ||a - e||^2 / ||e||^2 (M2).
  double nmse() const { return relative_l2 * relative_l2; }
  /// Signal to noise in decibels, -20 log10 of relative_l2 (M2); infinite if nothing differs in value.
  double sqnr_db() const;
};

/// What counts as equal. The defaults are the strict ones.
struct DifferencePolicy {
  enum class Nan { never_equal, equal_if_both };
  enum class ZeroSign { counts, ignored };
  enum class Subnormal { counts, as_zero };  ///< as_zero: both sides as hardware that flushes would have them

  Nan nan = Nan::never_equal;
  ZeroSign zero_sign = ZeroSign::counts;
  Subnormal subnormal = Subnormal::counts;

  bool strict() const {
    return nan == Nan::never_equal && zero_sign == ZeroSign::counts && subnormal == Subnormal::counts;
  }
};

}  // namespace parity
