// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include <torch/types.h>

#include "reference/attention/varlen.hpp"

namespace parity::reference {

/// Computes the same attention as varlen_attention, one query at a time. Keys come in tiles of 16, counted
/// from the segment's first key, with a running maximum and sum (online softmax). Within a tile the keys keep
/// their order. A query's bits depend on nothing else: neither on other segments nor on other queries.
///
/// Backward computes varlen_attention again and differentiates it. So the gradient is the ordinary one, of a
/// result that differs in rounding.
///
/// Arguments are those of varlen_attention, on the CPU. Sums of float64 are in float64; sums of float32 and
/// bfloat16 are in float32, rounded once at the end.
/// Determinism: the same bits in any batch and for any number of pieces, on any CPU with the same exp().
/// Source: Milakov and Gimelshein (arXiv:1805.02867); FlashAttention (arXiv:2205.14135).
torch::Tensor tiled_attention(const torch::Tensor& q_BHSd, const torch::Tensor& k_BKSd,
                              const torch::Tensor& v_BKSe, const std::vector<Segment>& segments,
                              int64_t sliding_window = 0, std::optional<double> scale = {});

}  // namespace parity::reference
