// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include <torch/types.h>

#include "reference/attention/varlen.hpp"

namespace parity::reference {

/// What varlen_attention computes, query by query: keys in tiles of 16, counted from the segment's first key,
/// with a running maximum and sum (online softmax), in the order of the keys within a tile too. Nothing else
/// enters a query's bits: not the other segments, nor the queries beside it, nor how many there are.
///
/// Backward works varlen_attention out again and differentiates that: the ordinary gradient, of a result that
/// differs in rounding.
///
/// Arguments as varlen_attention's, on the CPU; float64 is added up in float64, float32 and bfloat16 in
/// float32, rounded once at the end.
/// Determinism: the same bits in any batch and in any number of pieces, on any CPU with the same exp().
/// Source: Milakov and Gimelshein (arXiv:1805.02867); FlashAttention (arXiv:2205.14135).
torch::Tensor tiled_attention(const torch::Tensor& q_BHSd, const torch::Tensor& k_BKSd,
                              const torch::Tensor& v_BKSe, const std::vector<Segment>& segments,
                              int64_t sliding_window = 0, std::optional<double> scale = {});

}  // namespace parity::reference
