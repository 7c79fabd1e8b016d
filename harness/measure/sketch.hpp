// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "harness/tensor/tensor_view.hpp"

namespace parity {

/// Block sums in a sketch.
inline constexpr int64_t sketch_size = 64;

/// Block of the element with global index i in a tensor of n elements: floor(i * sketch_size / n).
int64_t sketch_block(int64_t index, int64_t count);
/// First index of a block: the smallest i with floor(i * K / n) >= b, which is ceil(b * n / K).
int64_t first_of_sketch_block(int64_t block, int64_t count);

/// K = sketch_size signed block sums: s_b = sum over i in block b of sigma(i) x_i, sigma(i) = +-1 from a hash
/// of the global index; NaN and infinities count as 0. Two sketches estimate ||x - r||^2 = sum_b (s_b(x) -
/// s_b(r))^2 without bias, with a relative standard deviation of at most sqrt(2 sum_b w_b^2), w_b the block's
/// share: sqrt(2/K) for an error in all blocks, sqrt(2/m) in m, 0 in one element; the largest gap says where.
///
/// Sketches of contiguous parts, and of partial sums over ranks, add up to the whole tensor's (but for
/// rounding).
/// \param first_index  global index of the view's first element
/// \param whole_count  elements of the whole tensor; -1: the view is the whole
/// \return [K] float64; all 0 for an empty tensor
/// Source: METRICS.md M16b; exactly specified in harness/trace/FORMAT.md.
std::vector<double> sketch_of(const TensorView& view, int64_t first_index = 0, int64_t whole_count = -1);

}  // namespace parity
