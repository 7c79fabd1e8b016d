// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include <torch/types.h>

#include "reference/attention/block_mask.hpp"
#include "reference/attention/masks/mask.hpp"
#include "reference/attention/scores.hpp"

namespace parity::reference {

/// The attention backend and the mask rule of a model.
struct AttentionChoice {
  AttentionBackend backend = AttentionBackend::sdpa;
  MaskRule rule = {};  ///< of blocks with RoPE; blocks without RoPE ignore its local rules
};

/// A micro-batch's mask in the form that its backend takes. A model's get_attention_masks creates it, and its
/// forward takes it. The default is causal sdpa, which takes no mask.
struct AttentionMasks {
  AttentionBackend backend = AttentionBackend::sdpa;
  c10::intrusive_ptr<BlockMask> blocks = {};  ///< flex
  std::vector<int64_t> cu_seqlens = {};       ///< varlen, tiled
  std::vector<Range> keys = {};               ///< varlen, tiled: of each segment; empty = its queries' own
  int64_t sliding_window = 0;  ///< varlen, tiled: keys that a query attends to, including itself; 0 = all
  torch::Tensor allowed_B1SS = {};  ///< dense
  torch::Tensor documents_BS = {};  ///< int64, for gated delta nets: document of each token; undefined = one
};

/// Returns the masks for a backend.
/// \param queries  positions of the queries, over the keys of the whole sequence; empty = every position
/// \throws UserError for a mask other than causal with sdpa, or for some queries with sdpa, varlen or tiled
AttentionMasks masks_for(AttentionBackend backend, const Mask& mask,
                         const std::vector<int64_t>& queries = {});

/// Returns the masks of some rows of a micro-batch, cut from the masks of all rows.
/// \param seq_len  S of each row
AttentionMasks rows_of(const AttentionMasks& masks, int64_t seq_len, int64_t first, int64_t count);

/// Returns the masks for queries, keys and values on `device`.
AttentionMasks moved_to(AttentionMasks masks, torch::Device device);

/// A micro-batch's masks, by the names that a model's blocks use. Most models have one mask.
using MaskSet = std::map<std::string, AttentionMasks>;

/// Applies the functions above to each mask of a set.
MaskSet rows_of(const MaskSet& masks, int64_t seq_len, int64_t first, int64_t count);
MaskSet moved_to(MaskSet masks, torch::Device device);

/// Returns softmax(scores) v over the pairs that the masks allow, computed by the masks' backend. The rule
/// says what the scores are made of: q k^T scale by default.
///
/// \param q_BHSd  [B, H, S, hd] queries, or only those that the masks were made for
/// \param k_BKSd  [B, K, S, hd] keys; K divides H, and each key head serves H / K neighbouring query heads
/// \param v_BKSe  [B, K, S, he] values
/// \return [B, H, S, he]
/// \throws InternalError for a cap or sinks with a backend other than flex and dense
torch::Tensor attend(const torch::Tensor& q_BHSd, const torch::Tensor& k_BKSd, const torch::Tensor& v_BKSe,
                     const AttentionMasks& masks, const ScoreRule& rule = {});

}  // namespace parity::reference
