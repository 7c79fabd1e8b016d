// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/checkpoints/views/strided_view.hpp"

namespace parity::checkpoints {

/// A permutation of the rows of each head, from one order for RoPE to the other.
struct HeadRows {
  int64_t head = 0;      ///< rows of a head
  bool to_pairs = true;  ///< from halves to pairs; false: from pairs to halves

  /// Returns "rows permuted within heads of 64, halves to pairs (RoPE)".
  std::string text() const;
  /// Splits a dimension of rows so that the views of both sides are equal if the actual side is permuted.
  StridedView of_expected(const StridedView& view, size_t dimension) const;
  StridedView of_actual(const StridedView& view, size_t dimension) const;
};

/// Returns every permutation that this many rows allow, the usual sizes of heads first.
std::vector<HeadRows> head_rows_of(int64_t rows);

/// Returns the divisors of a number that are at least `least`, ascending; none for 0.
std::vector<int64_t> divisors_of(int64_t number, int64_t least);

}  // namespace parity::checkpoints
