// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include <torch/types.h>

#include "reference/attention/block_mask.hpp"
#include "reference/attention/masks/mask.hpp"

namespace parity::reference {

/// What a model attends with.
struct AttentionChoice {
  AttentionBackend backend = AttentionBackend::sdpa;
  MaskRule rule = {};  ///< of blocks with RoPE; the local parts of it do not hold in those without
};

/// A micro-batch's mask in the form its backend takes: made by a model's get_attention_masks, handed to its
/// forward. The default is causal sdpa, which takes none.
struct AttentionMasks {
  AttentionBackend backend = AttentionBackend::sdpa;
  c10::intrusive_ptr<BlockMask> blocks = {};  ///< flex
  std::vector<int64_t> cu_seqlens = {};       ///< varlen, tiled
  std::vector<Range> keys = {};               ///< varlen, tiled: of each segment; empty = its queries' own
  int64_t sliding_window = 0;       ///< varlen, tiled: keys that a query looks at, itself counted; 0 = all
  torch::Tensor allowed_B1SS = {};  ///< dense
};

/// \param queries  positions of the queries that are attended with, over the keys of the whole sequence;
/// empty =
///                 every position
/// \throws UserError if sdpa is asked for more than causal, or sdpa, varlen or tiled to attend with some
/// queries
AttentionMasks masks_for(AttentionBackend backend, const Mask& mask,
                         const std::vector<int64_t>& queries = {});

/// The masks of some rows of a micro-batch, cut from those of all of them.
/// \param seq_len  S of each row
AttentionMasks rows_of(const AttentionMasks& masks, int64_t seq_len, int64_t first, int64_t count);

/// The same masks for queries, keys and values on `device`.
AttentionMasks moved_to(AttentionMasks masks, torch::Device device);

/// A micro-batch's masks by the name that a model's blocks ask for. Most models have one.
using MaskSet = std::map<std::string, AttentionMasks>;

/// Each of them, as the functions above do it.
MaskSet rows_of(const MaskSet& masks, int64_t seq_len, int64_t first, int64_t count);
MaskSet moved_to(MaskSet masks, torch::Device device);

/// softmax(q k^T scale) v over the pairs that the masks allow: the one operation, whatever does it.
///
/// \param q_BHSd  [B, H, S, hd] queries, or as many as the masks are made for
/// \param k_BKSd  [B, K, S, hd] keys; K divides H, and each key head serves H / K neighbouring query heads
/// \param v_BKSe  [B, K, S, he] values
/// \param scale   none = 1 / sqrt(hd)
/// \return [B, H, S, he]
torch::Tensor attend(const torch::Tensor& q_BHSd, const torch::Tensor& k_BKSd, const torch::Tensor& v_BKSe,
                     const AttentionMasks& masks, std::optional<double> scale = {});

}  // namespace parity::reference
