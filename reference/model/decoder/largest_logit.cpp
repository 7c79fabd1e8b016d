// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/model/decoder/largest_logit.hpp"

#include <limits>
#include <vector>

#include <ATen/core/grad_mode.h>

#include "harness/base/error.hpp"
#include "reference/attention/sdpa.hpp"
#include "reference/model/precision.hpp"

namespace parity::reference {
namespace {

constexpr double no_logit = -std::numeric_limits<double>::infinity();

/// Returns which keys a query may not see, [1, S, S] or [B, S, S].
torch::Tensor hidden_pairs(const AttentionMasks& masks, const torch::Tensor& q_BHSd) {
  const int64_t S = q_BHSd.size(2);
  switch (masks.backend) {
    case AttentionBackend::sdpa:
      return at::ones({1, S, S}, q_BHSd.options().dtype(torch::kBool)).triu(1);
    case AttentionBackend::dense:
      return masks.allowed_B1SS.squeeze(1).logical_not();
    default:
      throw InternalError("largest logits of a backend whose mask is not a matrix");
  }
}

}  // namespace

void LogitTally::add(const torch::Tensor& logits_H) {
  largest_H = largest_H.defined() ? at::maximum(largest_H, logits_H) : logits_H;
}

torch::Tensor largest_logits(const torch::Tensor& q_BHSd, const torch::Tensor& k_BKSd,
                             const AttentionMasks& masks, const ScoreRule& rule) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor hidden = hidden_pairs(masks, q_BHSd);
  const torch::Tensor k_BHSd = repeat_heads(k_BKSd, q_BHSd.size(1) / k_BKSd.size(1));
  std::vector<torch::Tensor> rows;
  for (int64_t b = 0; b < q_BHSd.size(0); ++b) {
    const torch::Tensor logits_HSS =
        at::matmul(at_least_float32(q_BHSd[b]), at_least_float32(k_BHSd[b]).transpose(1, 2)) *
        rule.scale_for(q_BHSd.size(3));
    rows.push_back(logits_HSS.masked_fill(hidden[hidden.size(0) == 1 ? 0 : b], no_logit).amax({1, 2}));
  }
  return at::stack(rows).amax(0);
}

void count_logits(const std::shared_ptr<LogitTally>& tally, const torch::Tensor& q_BHSd,
                  const torch::Tensor& k_BKSd, const AttentionMasks& masks, const ScoreRule& rule) {
  if (tally && at::GradMode::is_enabled())
    tally->add(largest_logits(q_BHSd, k_BKSd, masks, rule));
}

}  // namespace parity::reference
