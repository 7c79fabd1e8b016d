// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include "harness/measure/difference/profile.hpp"
#include "harness/measure/tensor/whole_digest.hpp"
#include "harness/tensor/tensor_view.hpp"

namespace parity::measure {

/// The difference of a tensor `actual` (a) from a tensor `expected` (e) of the same dtype and shape. It is
/// measured once; tolerances are applied elsewhere.
///
/// A NaN on either side, or on both, makes its element differ and the distances NaN, which no tolerance
/// accepts. Equal infinities have distance 0; other infinities are infinitely far apart. Each side's norm
/// covers its finite elements. If only the reference is zero, relative distances are infinite. Subnormal
/// numbers count like all others. A DifferencePolicy can relax these rules.
struct Difference {
  /// Value of max_ulp if a NaN has no distance.
  static constexpr uint64_t no_ulp = std::numeric_limits<uint64_t>::max();

  int64_t count = 0;      ///< number of elements
  int64_t differing = 0;  ///< elements with different bits (-0 is not +0), or NaN

  double l2_error = 0;       ///< ||a - e||_2
  double expected_norm = 0;  ///< ||e||_2
  double relative_l2 = 0;    ///< ||a - e||_2 / ||e||_2 (M2)
  double max_abs_error = 0;  ///< max |a - e|
  double relative_linf = 0;  ///< max |a - e| / max |e| (M2)
  double cosine = 1;         ///< <a, e> / (||a|| ||e||); 1 for two zero vectors, 0 for one
  /// Largest distance in the dtype's own steps (M1); |a - e| for integers.
  uint64_t max_ulp = 0;
  double mean_ulp = 0;  ///< over all elements
  /// Mean of the signed steps; above 0 if actual is higher on average.
  double bias_ulp = 0;
  /// Smallest rtol with |a - e| <= rtol |e| everywhere (M3 at atol 0).
  double needed_rtol = 0;
  int64_t expected_nan = 0;  ///< NaN elements of expected
  int64_t actual_nan = 0;    ///< NaN elements of actual
  int64_t expected_inf = 0;  ///< infinite elements of expected
  int64_t actual_inf = 0;    ///< infinite elements of actual

  /// Flat index of the worst element: the first NaN, else the first element with the largest |a - e|, else
  /// the first with different bits. -1 if all bits are equal.
  int64_t worst_index = -1;
  double worst_expected = 0;  ///< value of expected at worst_index
  double worst_actual = 0;    ///< value of actual at worst_index

  /// Where the difference lies. Set only if DifferenceOptions::profile asks for it.
  std::optional<DifferenceProfile> profile;
  /// Digests of both sides' unmodified bits, whatever the policy. Set only if DifferenceOptions::digests asks
  /// for them.
  std::optional<DigestPair> digests;

  /// Returns whether both sides have the same bits and no NaN.
  bool identical() const { return differing == 0; }
  /// Returns ||a - e||^2 / ||e||^2 (M2).
  double nmse() const { return relative_l2 * relative_l2; }
  /// Returns the signal-to-noise ratio [dB], -20 log10 of relative_l2 (M2); infinite if no value differs.
  double sqnr_db() const;
};

/// What counts as equal. The defaults are the strictest.
struct DifferencePolicy {
  /// Whether two NaNs at the same index count as equal.
  enum class Nan { never_equal, equal_if_both };
  /// Whether -0 differs from +0.
  enum class ZeroSign { counts, ignored };
  /// With as_zero, both sides are compared as hardware that flushes subnormals would hold them.
  enum class Subnormal { counts, as_zero };

  Nan nan = Nan::never_equal;               ///< rule for NaN
  ZeroSign zero_sign = ZeroSign::counts;    ///< rule for the sign of 0
  Subnormal subnormal = Subnormal::counts;  ///< rule for subnormal numbers

  /// Returns whether every rule is the strictest.
  bool strict() const {
    return nan == Nan::never_equal && zero_sign == ZeroSign::counts && subnormal == Subnormal::counts;
  }
};

}  // namespace parity::measure
