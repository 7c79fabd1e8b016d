// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/attention/first_keys.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "harness/base/error.hpp"
#include "reference/attention/varlen.hpp"

namespace parity::reference {
namespace {

/// \param allowed_QN  bool
/// \param keys_N      positions of the keys
torch::Tensor first_of(const torch::Tensor& allowed_QN, const torch::Tensor& keys_N,
                       const torch::Tensor& queries_Q) {
  if (keys_N.numel() == 0)
    return queries_Q + 1;
  const torch::Tensor count_Q = allowed_QN.sum(1);
  const torch::Tensor first_Q = at::where(allowed_QN, keys_N, std::numeric_limits<int64_t>::max()).amin(1);
  const torch::Tensor last_Q = at::where(allowed_QN, keys_N, int64_t{-1}).amax(1);
  const torch::Tensor neighbours_Q = last_Q.eq(queries_Q).logical_and(queries_Q - first_Q + 1 == count_Q);
  return at::where(count_Q.eq(0), queries_Q + 1, at::where(neighbours_Q, first_Q, count_Q.neg()));
}

torch::Tensor of_block(const QueryBlock& block, const torch::Tensor& queries_Q) {
  std::vector<torch::Tensor> keys = {torch::empty({0}, torch::kInt64)};
  for (const Range& range : block.keys)
    keys.push_back(torch::arange(range.begin, range.begin + range.count));
  const torch::Tensor allowed_QN = block.forbidden_QK.defined()
                                       ? block.forbidden_QK.cpu().logical_not()
                                       : torch::ones({block.queries.count, block.key_count}, torch::kBool);
  return first_of(allowed_QN, at::cat(keys), queries_Q.narrow(0, block.queries.begin, block.queries.count));
}

torch::Tensor of_row(const std::vector<QueryBlock>& row, const torch::Tensor& queries_Q) {
  std::vector<torch::Tensor> blocks;
  for (const QueryBlock& block : row)
    blocks.push_back(of_block(block, queries_Q));
  return at::cat(blocks);
}

/// Segments begin and end with rows, and a query attends to its segment up to itself.
torch::Tensor of_segments(const AttentionMasks& masks, int64_t rows, int64_t seq_len) {
  require(masks.keys.empty(), "keys that are not tokens of the rows have no position");
  const torch::Tensor first_T = torch::empty({rows * seq_len}, torch::kInt64);
  auto* out = first_T.mutable_data_ptr<int64_t>();
  for (const Segment& segment : segments_of(masks.cu_seqlens))
    for (int64_t place = 0; place < segment.queries.count; ++place) {
      const int64_t before = masks.sliding_window > 0 ? std::min(place, masks.sliding_window - 1) : place;
      const int64_t query = segment.queries.begin + place;
      out[query] = query % seq_len - before;
    }
  return first_T.view({rows, seq_len});
}

}  // namespace

torch::Tensor first_keys_of(const AttentionMasks& masks, int64_t rows, const torch::Tensor& queries_Q) {
  const int64_t count = queries_Q.size(0);
  std::vector<torch::Tensor> result;
  switch (masks.backend) {
    case AttentionBackend::sdpa:
      return torch::zeros({rows, count}, torch::kInt64);
    case AttentionBackend::varlen:
    case AttentionBackend::tiled:
      return of_segments(masks, rows, count);
    case AttentionBackend::flex:
      for (int64_t b = 0; b < rows; ++b)
        result.push_back(b > 0 && &masks.blocks->row(b) == &masks.blocks->row(0)
                             ? result.front()
                             : of_row(masks.blocks->row(b), queries_Q));
      return at::stack(result);
    case AttentionBackend::dense: {
      const torch::Tensor allowed_BQN = masks.allowed_B1SS.squeeze(1).cpu();
      const torch::Tensor keys_N = torch::arange(allowed_BQN.size(2));
      for (int64_t b = 0; b < rows; ++b)
        result.push_back(first_of(allowed_BQN[allowed_BQN.size(0) == 1 ? 0 : b], keys_N, queries_Q));
      return at::stack(result);
    }
  }
  throw InternalError("unknown attention backend");
}

}  // namespace parity::reference
