// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include <torch/types.h>

#include "reference/attention/block_mask.hpp"

namespace parity::reference {

/// Queries, among the tokens of all rows laid end to end, and the keys that they look at. Queries and keys
/// may differ in number (keys of earlier passes are kept): the last query is at the place of the last key.
struct Segment {
  Range queries;
  Range keys;
};

/// \param cu_seqlens  [segments + 1] begins of the queries, then their number
/// \param keys        [segments] of as many keys as queries or more; empty = those of the same tokens
std::vector<Segment> segments_of(const std::vector<int64_t>& cu_seqlens, const std::vector<Range>& keys = {});

/// Causal attention inside each document: rows are laid end to end, cut where documents begin, and each piece
/// goes through scaled_dot_product_attention by itself. Pairs across documents are never worked out, nor, but
/// for the edges, those outside a sliding window.
///
/// \param q_BHSd  [B, H, S, hd] queries
/// \param k_BKSd  [B, K, S, hd] keys; K divides H, and each key head serves H / K neighbouring query heads
/// \param v_BKSe  [B, K, S, he] values; keys and values may be more than the queries
/// \param segments  whose queries are all tokens, in order
/// \param sliding_window  keys that a query looks at, itself counted (varlen kernels are told one less: what
///                        lies to the left); 0 = all of its document
/// \param scale  of q k^T; none = 1 / sqrt(hd)
/// \return [B, H, S, he], same dtype
torch::Tensor varlen_attention(const torch::Tensor& q_BHSd, const torch::Tensor& k_BKSd,
                               const torch::Tensor& v_BKSe, const std::vector<Segment>& segments,
                               int64_t sliding_window = 0, std::optional<double> scale = {});

/// 0, then the running sum of the lengths.
std::vector<int64_t> cu_seqlens_of(const std::vector<int64_t>& lengths);

/// Those of the tokens [first, end), counted from 0 again; both are begins of documents.
std::vector<int64_t> cu_seqlens_between(const std::vector<int64_t>& cu_seqlens, int64_t first, int64_t end);

}  // namespace parity::reference
