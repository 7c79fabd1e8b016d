// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/attention/attention.hpp"

#include "harness/base/error.hpp"
#include "reference/attention/dense.hpp"
#include "reference/attention/flex.hpp"
#include "reference/attention/sdpa.hpp"
#include "reference/attention/tiled.hpp"
#include "reference/attention/varlen.hpp"

namespace parity::reference {
namespace {

bool has_segments(AttentionBackend backend) {
  return backend == AttentionBackend::varlen || backend == AttentionBackend::tiled;
}

}  // namespace

AttentionMasks masks_for(AttentionBackend backend, const Mask& mask, const std::vector<int64_t>& queries) {
  if (!queries.empty() && (backend == AttentionBackend::sdpa || has_segments(backend)))
    throw UserError(std::string(name_of(backend)) +
                    " cannot attend with some queries of a sequence (it needs whole documents or rows); use "
                    "flex or dense");
  AttentionMasks masks{.backend = backend};
  switch (backend) {
    case AttentionBackend::sdpa:
      if (!mask.causal_only)
        throw UserError(
            "sdpa supports only the causal mask (any other would need S x S elements per row and compute "
            "forbidden pairs); use flex or varlen");
      break;
    case AttentionBackend::flex:
      masks.blocks = c10::make_intrusive<BlockMask>(mask, queries);
      break;
    case AttentionBackend::varlen:
    case AttentionBackend::tiled:
      masks.cu_seqlens = cu_seqlens_of(mask.segment_lengths());
      masks.sliding_window = mask.sliding_window;
      break;
    case AttentionBackend::dense:
      masks.allowed_B1SS = dense_mask(mask);
      if (!queries.empty())
        masks.allowed_B1SS = masks.allowed_B1SS.index_select(2, torch::tensor(queries));
      break;
  }
  return masks;
}

AttentionMasks rows_of(const AttentionMasks& masks, int64_t seq_len, int64_t first, int64_t count) {
  require(masks.keys.empty(), "keys that are not tokens of the rows cannot be cut by rows");
  AttentionMasks result{.backend = masks.backend, .sliding_window = masks.sliding_window};
  if (masks.blocks)
    result.blocks = c10::make_intrusive<BlockMask>(*masks.blocks, first, count);
  if (!masks.cu_seqlens.empty())
    result.cu_seqlens = cu_seqlens_between(masks.cu_seqlens, first * seq_len, (first + count) * seq_len);
  if (masks.allowed_B1SS.defined())
    result.allowed_B1SS =
        masks.allowed_B1SS.size(0) == 1 ? masks.allowed_B1SS : masks.allowed_B1SS.narrow(0, first, count);
  if (masks.documents_BS.defined())
    result.documents_BS = masks.documents_BS.narrow(0, first, count);
  return result;
}

AttentionMasks moved_to(AttentionMasks masks, torch::Device device) {
  if (device.is_cpu())
    return masks;
  if (masks.blocks)
    masks.blocks = c10::make_intrusive<BlockMask>(*masks.blocks, device);
  if (masks.allowed_B1SS.defined())
    masks.allowed_B1SS = masks.allowed_B1SS.to(device);
  if (masks.documents_BS.defined())
    masks.documents_BS = masks.documents_BS.to(device);
  return masks;
}

MaskSet rows_of(const MaskSet& masks, int64_t seq_len, int64_t first, int64_t count) {
  MaskSet result;
  for (const auto& [name, each] : masks)
    result[name] = rows_of(each, seq_len, first, count);
  return result;
}

MaskSet moved_to(MaskSet masks, torch::Device device) {
  for (auto& [name, each] : masks)
    each = moved_to(std::move(each), device);
  return masks;
}

torch::Tensor attend(const torch::Tensor& q_BHSd, const torch::Tensor& k_BKSd, const torch::Tensor& v_BKSe,
                     const AttentionMasks& masks, const ScoreRule& rule) {
  if (masks.backend == AttentionBackend::flex)
    return flex_attention(q_BHSd, k_BKSd, v_BKSe, masks.blocks, rule);
  if (masks.backend == AttentionBackend::dense && !rule.is_plain())
    return dense_attention_by_scores(q_BHSd, k_BKSd, v_BKSe, masks.allowed_B1SS, rule);
  require(rule.is_plain(), "a cap of scores or sinks with a backend that does not compute scores");
  switch (masks.backend) {
    case AttentionBackend::sdpa:
      return sdpa_causal(q_BHSd, k_BKSd, v_BKSe, rule.scale);
    case AttentionBackend::varlen:
      return varlen_attention(q_BHSd, k_BKSd, v_BKSe, segments_of(masks.cu_seqlens, masks.keys),
                              masks.sliding_window, rule.scale);
    case AttentionBackend::tiled:
      return tiled_attention(q_BHSd, k_BKSd, v_BKSe, segments_of(masks.cu_seqlens, masks.keys),
                             masks.sliding_window, rule.scale);
    case AttentionBackend::dense:
      return dense_attention(q_BHSd, k_BKSd, v_BKSe, masks.allowed_B1SS, rule.scale);
    case AttentionBackend::flex:
      break;
  }
  throw InternalError("unknown attention backend");
}

}  // namespace parity::reference
