// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/loss/normalization.hpp"

#include "harness/base/error.hpp"
#include "reference/loss/token_cross_entropy.hpp"
#include "reference/model/precision.hpp"

namespace parity::reference {
namespace {

void require_divisor(const LossRule& rule) {
  require(rule.defined(), "a mean over no label");
  require(rule.normalization != Normalization::global_tokens || rule.totals.valid_tokens > 0,
          "global_tokens without the number of tokens");
}

}  // namespace

torch::Tensor LossRule::sum(const torch::Tensor& logits, const torch::Tensor& labels) const {
  const torch::Tensor c = of_parts ? of_parts(logits, labels) : token_cross_entropy_sum(logits, labels);
  return z_coef == 0 ? c : c + z_loss_sum(logits, labels, log_z_of_parts) * z_coef;
}

torch::Tensor LossRule::mean(const torch::Tensor& logits, const torch::Tensor& labels) const {
  const torch::Tensor c =
      of_parts ? of_parts(logits, labels) / valid_tokens : token_cross_entropy_mean(logits, labels);
  return z_coef == 0 ? c : c + z_loss_sum(logits, labels, log_z_of_parts) / valid_tokens * z_coef;
}

torch::Tensor LossRule::whole(const torch::Tensor& logits_BSV, const torch::Tensor& labels_BS) const {
  require_divisor(*this);
  switch (normalization) {
    case Normalization::global_tokens:
      return sum(logits_BSV, labels_BS) / totals.valid_tokens;
    case Normalization::microbatch_mean:
      return mean(logits_BSV, labels_BS) / totals.micro_batches;
    case Normalization::gradient_scaling:
      return valid_tokens == 0 ? sum(logits_BSV, labels_BS) : mean(logits_BSV, labels_BS) * valid_tokens;
  }
  throw InternalError("unknown loss normalization");
}

torch::Tensor LossRule::share(const torch::Tensor& logits_TV, const torch::Tensor& labels_T) const {
  require_divisor(*this);
  torch::Tensor c = sum(logits_TV, labels_T);
  switch (normalization) {
    case Normalization::global_tokens:
      return c / totals.valid_tokens;
    case Normalization::microbatch_mean:
      return c / valid_tokens / totals.micro_batches;
    case Normalization::gradient_scaling:
      return c;
  }
  throw InternalError("unknown loss normalization");
}

torch::Tensor gradient_scale(int64_t valid_tokens, torch::ScalarType dtype) {
  return torch::full({}, valid_tokens, at_least_float32(dtype)).reciprocal();
}

torch::Tensor sum_of_losses(Normalization normalization, std::span<const torch::Tensor> losses) {
  if (normalization != Normalization::gradient_scaling)
    return at::stack(at::TensorList(losses.data(), losses.size())).sum();
  torch::Tensor running = losses.front();
  for (const torch::Tensor& loss : losses.subspan(1))
    running = running + loss;
  return running;
}

}  // namespace parity::reference
