// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/attention/varlen.hpp"

#include <algorithm>

#include "reference/attention/dense.hpp"
#include "reference/attention/sdpa.hpp"

namespace parity::reference {
namespace {

/// [B, H, S, d] as pieces [1, H, n, d], one a document.
std::vector<torch::Tensor> pieces_of(const torch::Tensor& x_BHSd, const std::vector<int64_t>& lengths) {
  const torch::Tensor x_HTd = x_BHSd.transpose(0, 1).flatten(1, 2);
  return x_HTd.unsqueeze(0).split_with_sizes(lengths, 2);
}

/// A document's attention under a window, some queries at a time over the keys that any of them looks at.
torch::Tensor windowed(const torch::Tensor& q_1HSd, const torch::Tensor& k_1KSd, const torch::Tensor& v_1KSe,
                       int64_t window, std::optional<double> scale) {
  constexpr int64_t fewest = 64;
  const int64_t S = q_1HSd.size(2), step = std::max(window, fewest);
  std::vector<torch::Tensor> out;
  for (int64_t first = 0; first < S; first += step) {
    const int64_t end = std::min(first + step, S), begin = std::max<int64_t>(first - window + 1, 0);
    const torch::Tensor distance_QK = torch::arange(first, end).unsqueeze(1) - torch::arange(begin, end);
    const torch::Tensor allowed_QK =
        distance_QK.ge(0).logical_and(distance_QK.lt(window)).to(q_1HSd.device());
    out.push_back(dense_attention(q_1HSd.narrow(2, first, end - first), k_1KSd.narrow(2, begin, end - begin),
                                  v_1KSe.narrow(2, begin, end - begin),
                                  allowed_QK.view({1, 1, end - first, -1}), scale));
  }
  return at::cat(out, 2);
}

}  // namespace

torch::Tensor varlen_attention(const torch::Tensor& q_BHSd, const torch::Tensor& k_BKSd,
                               const torch::Tensor& v_BKSe, const std::vector<int64_t>& cu_seqlens,
                               int64_t sliding_window, std::optional<double> scale) {
  std::vector<int64_t> lengths;
  for (size_t i = 1; i < cu_seqlens.size(); ++i)
    lengths.push_back(cu_seqlens[i] - cu_seqlens[i - 1]);
  const std::vector<torch::Tensor> q = pieces_of(q_BHSd, lengths);
  const std::vector<torch::Tensor> k = pieces_of(k_BKSd, lengths);
  const std::vector<torch::Tensor> v = pieces_of(v_BKSe, lengths);
  std::vector<torch::Tensor> out;
  for (size_t i = 0; i < q.size(); ++i) {
    const bool all_in_window = sliding_window == 0 || lengths[i] <= sliding_window;
    out.push_back(all_in_window ? sdpa_causal(q[i], k[i], v[i], scale)
                                : windowed(q[i], k[i], v[i], sliding_window, scale));
  }
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
