// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "harness/checkpoints/views/strided_view.hpp"
#include "harness/measure/difference/difference.hpp"

namespace parity::checkpoints {

/// Two views of one shape that a rule claims to be equal.
struct ViewPair {
  StridedView expected, actual;
};

/// The difference between views, added up over pieces and pairs.
struct Gap {
  int64_t count = 0;      ///< elements
  int64_t differing = 0;  ///< elements with other bits, NaN, or finite ones that a cast makes infinite
  uint64_t max_ulp = 0;
  double error_squares = 0, expected_squares = 0;
  double max_abs_error = 0;
  const std::byte* worst = nullptr;  ///< the expected side's element that differs most
  double worst_expected = 0, worst_actual = 0;
  int64_t overflowed = 0;        ///< finite elements that the cast makes infinite, as the other side's are
  int64_t underflowed = 0;       ///< elements that only the cast makes zero, as the other side's are
  double underflow_squares = 0;  ///< of these, before the cast

  bool equal() const { return differing == 0; }
  /// Returns ||a - e|| / ||e||; infinite if only the reference is zero.
  double relative_l2() const;
  /// Returns the L2 norm of the elements that the cast makes zero, divided by that of all elements.
  double underflow_share() const;
  void add(const Gap& other);
};

/// Called with bytes that are no longer needed.
using Release = measure::DoneWithBytes;

/// Measures two views of one shape. Memory holds a few megabytes of views with holes.
/// \param to  dtype that both are converted to first
Gap measure_gap(const ViewPair& pair, DType to, const measure::DifferencePolicy& policy,
                const Release& release = {});

/// Returns whether two views of one shape have equal bits after conversion, and none that only the conversion
/// makes infinite. It ends at the first difference.
bool have_equal_bits(const ViewPair& pair, DType to);

/// Returns whether all elements have the same bits; true for an empty view.
bool is_constant(const StridedView& view);

}  // namespace parity::checkpoints
