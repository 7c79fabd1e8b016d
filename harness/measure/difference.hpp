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
  int64_t expected_nan = 0;  ///< elements of expected that are NaN
  int64_t actual_nan = 0;    ///< elements of actual that are NaN
  int64_t expected_inf = 0;  ///< elements of expected that are infinite
  int64_t actual_inf = 0;    ///< elements of actual that are infinite

  /// The first NaN; without one the first element with the largest |a - e|; without a difference in value the
  /// first with other bits. -1 if all bits are equal.
  int64_t worst_index = -1;
  double worst_expected = 0;  ///< value of expected at worst_index
  double worst_actual = 0;    ///< value of actual at worst_index

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
  /// Whether two NaNs are equal.
  enum class Nan { never_equal, equal_if_both };
  /// Whether -0 differs from +0.
  enum class ZeroSign { counts, ignored };
  /// Whether subnormal numbers are numbers, or 0 on both sides, as hardware that flushes them has it.
  enum class Subnormal { counts, as_zero };

  Nan nan = Nan::never_equal;               ///< rule for NaN
  ZeroSign zero_sign = ZeroSign::counts;    ///< rule for the sign of 0
  Subnormal subnormal = Subnormal::counts;  ///< rule for subnormal numbers

  /// Returns whether every rule is the strict one.
  bool strict() const {
    return nan == Nan::never_equal && zero_sign == ZeroSign::counts && subnormal == Subnormal::counts;
  }
};

/// What measure_difference measures, and with how many threads.
struct DifferenceOptions {
  DifferencePolicy policy = {};  ///< what counts as equal
  bool profile = false;          ///< whether Difference::profile is set
  bool digests = false;          ///< whether Difference::digests is set
  int threads = 0;               ///< at most; 0: as many as there are cores for this process
  /// Told of some megabytes of either side at a time that are not needed any more; from any of the threads.
  DoneWithBytes done = {};
};

/// One pass over both; float64 accumulation, block by block in index order.
///
/// Squares of float64 values beyond about 1e154 overflow, which gives infinite or NaN norms; those below
/// 1e-154 count as 0.
/// \param expected  [any shape] any dtype; the reference side
/// \param actual    same shape and dtype
/// \throws UserError "shape (2, 3) against (3, 2) (cannot align)"
/// Determinism: the same bits on every machine and for any number of threads.
/// Source: METRICS.md M1-M3.
Difference measure_difference(const TensorView& expected, const TensorView& actual,
                              const DifferenceOptions& options = {});

}  // namespace parity
