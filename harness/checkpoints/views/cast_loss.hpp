// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "harness/tensor/dtype.hpp"

namespace parity::checkpoints {

/// What a cast to a narrower dtype takes from elements beyond rounding, where both sides have the same
/// result.
struct CastLoss {
  int64_t overflowed = 0;        ///< finite elements that are infinite after the cast
  int64_t first_overflow = -1;   ///< row-major index of the first of them; -1 without one
  int64_t underflowed = 0;       ///< elements that only the cast makes zero
  double underflow_squares = 0;  ///< sum of the squares of these, before the cast
};

/// Measures the loss of a cast of `count` elements; no loss unless it is one between two floating dtypes.
/// \param before  elements of dtype `from`; need not be aligned
/// \param after   the same elements, converted to dtype `to`
/// \param other   elements of dtype `to` of the other side. Where its result is another, nothing is counted
CastLoss cast_loss(DType from, const std::byte* before, DType to, const std::byte* after,
                   const std::byte* other, int64_t count);

}  // namespace parity::checkpoints
