// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/attention/varlen.hpp"

#include "reference/attention/sdpa.hpp"

namespace parity::reference {
namespace {

/// [B, H, S, d] as pieces [1, H, n, d], one a document.
std::vector<torch::Tensor> pieces_of(const torch::Tensor& x_BHSd, const std::vector<int64_t>& lengths) {
  const torch::Tensor x_HTd = x_BHSd.transpose(0, 1).flatten(1, 2);
  return x_HTd.unsqueeze(0).split_with_sizes(lengths, 2);
}

}  // namespace

torch::Tensor varlen_attention(const torch::Tensor& q_BHSd, const torch::Tensor& k_BKSd,
                               const torch::Tensor& v_BKSd, const std::vector<int64_t>& cu_seqlens) {
  std::vector<int64_t> lengths;
  for (size_t i = 1; i < cu_seqlens.size(); ++i)
    lengths.push_back(cu_seqlens[i] - cu_seqlens[i - 1]);
  const std::vector<torch::Tensor> q = pieces_of(q_BHSd, lengths);
  const std::vector<torch::Tensor> k = pieces_of(k_BKSd, lengths);
  const std::vector<torch::Tensor> v = pieces_of(v_BKSd, lengths);
  std::vector<torch::Tensor> out;
  for (size_t i = 0; i < q.size(); ++i)
    out.push_back(sdpa_causal(q[i], k[i], v[i]));
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
