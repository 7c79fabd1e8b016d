// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/attention/varlen.hpp"

#include <algorithm>

#include "reference/attention/dense.hpp"
#include "reference/attention/sdpa.hpp"

namespace parity::reference {
namespace {

/// Returns [B, H, S, d] with its rows concatenated, [1, H, B S, d].
torch::Tensor joined(const torch::Tensor& x_BHSd) {
  return x_BHSd.transpose(0, 1).flatten(1, 2).unsqueeze(0);
}

/// Cuts the joined rows into ranges. If the ranges cover all rows in order, backward joins the pieces again
/// instead of adding up tensors of the whole length.
std::vector<torch::Tensor> pieces_of(const torch::Tensor& x_1HTd, const std::vector<Range>& ranges) {
  std::vector<torch::Tensor> pieces;
  std::vector<int64_t> lengths;
  int64_t end = 0;
  bool in_order = true;
  for (const Range& range : ranges) {
    pieces.push_back(x_1HTd.narrow(2, range.begin, range.count));
    lengths.push_back(range.count);
    in_order = in_order && range.begin == end;
    end = range.begin + range.count;
  }
  return in_order && end == x_1HTd.size(2) ? x_1HTd.split_with_sizes(lengths, 2) : pieces;
}

/// Computes the attention of queries [first, end), counted from the first key, over the keys that any of them
/// attends to.
/// \param q_1HSd  those queries
torch::Tensor attend_to_keys_before(const torch::Tensor& q_1HSd, const torch::Tensor& k_1KSd,
                                    const torch::Tensor& v_1KSe, int64_t first, int64_t window,
                                    std::optional<double> scale) {
  const int64_t end = first + q_1HSd.size(2);
  const int64_t begin = window == 0 ? 0 : std::max<int64_t>(first - window + 1, 0);
  const torch::Tensor distance_QK = torch::arange(first, end).unsqueeze(1) - torch::arange(begin, end);
  torch::Tensor allowed_QK = distance_QK.ge(0);
  if (window > 0)
    allowed_QK = allowed_QK.logical_and(distance_QK.lt(window));
  return dense_attention(q_1HSd, k_1KSd.narrow(2, begin, end - begin), v_1KSe.narrow(2, begin, end - begin),
                         allowed_QK.to(q_1HSd.device()).view({1, 1, end - first, -1}), scale);
}

/// Computes a segment's attention under a window, some queries at a time.
torch::Tensor windowed(const torch::Tensor& q_1HSd, const torch::Tensor& k_1KSd, const torch::Tensor& v_1KSe,
                       int64_t window, std::optional<double> scale) {
  constexpr int64_t fewest = 64;
  const int64_t S = q_1HSd.size(2), before = k_1KSd.size(2) - S, step = std::max(window, fewest);
  std::vector<torch::Tensor> out;
  for (int64_t first = 0; first < S; first += step)
    out.push_back(attend_to_keys_before(q_1HSd.narrow(2, first, std::min(step, S - first)), k_1KSd, v_1KSe,
                                        before + first, window, scale));
  return at::cat(out, 2);
}

/// One query attends to every key, so the queries of a key head are rows of one product.
torch::Tensor of_one_query(const torch::Tensor& q_1H1d, const torch::Tensor& k_1KSd,
                           const torch::Tensor& v_1KSe, std::optional<double> scale) {
  const torch::Tensor q_1KGd = q_1H1d.reshape({1, k_1KSd.size(1), -1, q_1H1d.size(3)});
  return at::scaled_dot_product_attention(q_1KGd, k_1KSd, v_1KSe, /*attn_mask=*/{}, /*dropout_p=*/0.0,
                                          /*is_causal=*/false, scale)
      .reshape({1, q_1H1d.size(1), 1, v_1KSe.size(3)});
}

torch::Tensor of_segment(const torch::Tensor& q_1HSd, const torch::Tensor& k_1KSd,
                         const torch::Tensor& v_1KSe, int64_t window, std::optional<double> scale) {
  const int64_t queries = q_1HSd.size(2), keys = k_1KSd.size(2);
  if (window > 0 && keys > window)
    return windowed(q_1HSd, k_1KSd, v_1KSe, window, scale);
  if (queries == keys)
    return sdpa_causal(q_1HSd, k_1KSd, v_1KSe, scale);
  return queries == 1 ? of_one_query(q_1HSd, k_1KSd, v_1KSe, scale)
                      : attend_to_keys_before(q_1HSd, k_1KSd, v_1KSe, keys - queries, /*window=*/0, scale);
}

}  // namespace

std::vector<Segment> segments_of(const std::vector<int64_t>& cu_seqlens, const std::vector<Range>& keys) {
  std::vector<Segment> segments;
  for (size_t i = 1; i < cu_seqlens.size(); ++i) {
    const Range queries = {cu_seqlens[i - 1], cu_seqlens[i] - cu_seqlens[i - 1]};
    segments.push_back({queries, keys.empty() ? queries : keys.at(i - 1)});
  }
  return segments;
}

torch::Tensor varlen_attention(const torch::Tensor& q_BHSd, const torch::Tensor& k_BKSd,
                               const torch::Tensor& v_BKSe, const std::vector<Segment>& segments,
                               int64_t sliding_window, std::optional<double> scale) {
  std::vector<Range> queries, keys;
  for (const Segment& segment : segments) {
    queries.push_back(segment.queries);
    keys.push_back(segment.keys);
  }
  const std::vector<torch::Tensor> q = pieces_of(joined(q_BHSd), queries);
  const std::vector<torch::Tensor> k = pieces_of(joined(k_BKSd), keys), v = pieces_of(joined(v_BKSe), keys);
  std::vector<torch::Tensor> out;
  for (size_t i = 0; i < q.size(); ++i)
    out.push_back(of_segment(q[i], k[i], v[i], sliding_window, scale));
  const torch::Tensor out_HTd = at::cat(out, 2).squeeze(0);
  return out_HTd.unflatten(1, torch::IntArrayRef{q_BHSd.size(0), q_BHSd.size(2)}).transpose(0, 1);
}

std::vector<int64_t> cu_seqlens_of(const std::vector<int64_t>& lengths) {
  std::vector<int64_t> begins = {0};
  for (const int64_t length : lengths)
    begins.push_back(begins.back() + length);
  return begins;
}

std::vector<int64_t> cu_seqlens_between(const std::vector<int64_t>& cu_seqlens, int64_t first, int64_t end) {
  std::vector<int64_t> result;
  for (const int64_t begin : cu_seqlens)
    if (begin >= first && begin <= end)
      result.push_back(begin - first);
  return result;
}

}  // namespace parity::reference
