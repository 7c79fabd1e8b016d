// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include <torch/types.h>

#include "reference/attention/block_mask.hpp"

namespace parity::reference {

/// Queries, as indices into the concatenated tokens of all rows, and the keys that they attend to. There may
/// be more keys than queries, since keys of earlier passes are kept. The last query has the last key's place.
struct Segment {
  Range queries;
  Range keys;
};

/// Returns the segments that cumulative lengths describe.
/// \param cu_seqlens  [segments + 1] first query of each segment, then the number of queries
/// \param keys        [segments] at least as many keys as queries each; empty = the keys of the same tokens
std::vector<Segment> segments_of(const std::vector<int64_t>& cu_seqlens, const std::vector<Range>& keys = {});

/// Computes causal attention inside each document. Rows are concatenated and cut where documents begin. Each
/// segment goes through scaled_dot_product_attention alone. Pairs across documents are never computed. Pairs
/// outside a sliding window are computed only at its edges.
///
/// \param q_BHSd  [B, H, S, hd] queries
/// \param k_BKSd  [B, K, S, hd] keys; K divides H, and each key head serves H / K neighbouring query heads
/// \param v_BKSe  [B, K, S, he] values; keys and values may be more than the queries
/// \param segments  whose queries are all tokens, in order
/// \param sliding_window  keys that a query attends to, including itself; 0 = all of its document. Varlen
///                        kernels take this number minus one: the keys to the left
/// \param scale  of q k^T; none = 1 / sqrt(hd)
/// \return [B, H, S, he], same dtype
torch::Tensor varlen_attention(const torch::Tensor& q_BHSd, const torch::Tensor& k_BKSd,
                               const torch::Tensor& v_BKSe, const std::vector<Segment>& segments,
                               int64_t sliding_window = 0, std::optional<double> scale = {});

/// Returns 0, followed by the running sum of the lengths.
std::vector<int64_t> cu_seqlens_of(const std::vector<int64_t>& lengths);

/// Returns the cumulative lengths of the tokens [first, end), counted from 0. Documents begin at both ends.
std::vector<int64_t> cu_seqlens_between(const std::vector<int64_t>& cu_seqlens, int64_t first, int64_t end);

}  // namespace parity::reference
