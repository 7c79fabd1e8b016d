// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "harness/tensor/tensor_view.hpp"

namespace parity::measure {

/// Number of block sums in a sketch.
inline constexpr int64_t sketch_size = 64;

/// Returns the block of the element with global index i in a tensor of n elements: floor(i * sketch_size /
/// n).
int64_t sketch_block(int64_t index, int64_t count);
/// Returns the first index of a block: the smallest i with floor(i * K / n) >= b, which is ceil(b * n / K).
int64_t first_of_sketch_block(int64_t block, int64_t count);

/// Returns a tensor's sketch: K = sketch_size signed block sums, s_b = sum over i in block b of sigma(i) x_i.
/// sigma(i) = +-1 is a hash of the global index. NaN and infinities count as 0.
///
/// Two sketches estimate ||x - r||^2 = sum_b (s_b(x) - s_b(r))^2 without bias. The relative standard
/// deviation is at most sqrt(2 sum_b w_b^2), where w_b is block b's share of the error. It is sqrt(2/K) for
/// an error in all blocks, sqrt(2/m) in m blocks, and 0 in one element. The block with the largest gap
/// locates the error.
///
/// Sketches of contiguous parts, and of partial sums over ranks, add up to the whole tensor's, up to
/// rounding.
/// \param first_index  global index of the view's first element
/// \param whole_count  number of elements of the whole tensor; -1: the view is the whole
/// \return [K] float64; all 0 for an empty tensor
///
/// Source: METRICS.md M16b; exactly specified in harness/trace/FORMAT.md.
std::vector<double> sketch_of(const TensorView& view, int64_t first_index = 0, int64_t whole_count = -1);

}  // namespace parity::measure
