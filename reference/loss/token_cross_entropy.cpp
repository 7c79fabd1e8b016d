// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/loss/token_cross_entropy.hpp"

#include "reference/model/precision.hpp"

namespace parity::reference {
namespace {

torch::Tensor reduced(const torch::Tensor& logits, const torch::Tensor& labels, int64_t reduction) {
  return at::cross_entropy_loss(at_least_float32(logits.flatten(0, -2)), labels.flatten(), /*weight=*/{},
                                reduction, /*ignore_index=*/-100);
}

}  // namespace

torch::Tensor token_cross_entropy(const torch::Tensor& logits, const torch::Tensor& labels) {
  return reduced(logits, labels, at::Reduction::None).view(labels.sizes());
}

torch::Tensor token_cross_entropy_by_gather(const torch::Tensor& logits, const torch::Tensor& labels) {
  const torch::Tensor log_p = at::log_softmax(at_least_float32(logits), -1);
  const torch::Tensor ignored = labels.eq(-100);
  const torch::Tensor index = labels.masked_fill(ignored, 0).unsqueeze(-1);
  return log_p.gather(-1, index).squeeze(-1).neg().masked_fill(ignored, 0);
}

torch::Tensor token_entropy(const torch::Tensor& logits) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor x = at_least_float32(logits);
  return x.logsumexp(-1) - x.softmax(-1).mul_(x).sum(-1);
}

torch::Tensor token_cross_entropy_sum(const torch::Tensor& logits, const torch::Tensor& labels) {
  return reduced(logits, labels, at::Reduction::Sum);
}

torch::Tensor token_cross_entropy_mean(const torch::Tensor& logits, const torch::Tensor& labels) {
  return reduced(logits, labels, at::Reduction::Mean);
}

torch::Tensor z_loss_sum(const torch::Tensor& logits, const torch::Tensor& labels,
                         const std::function<torch::Tensor(const torch::Tensor& logits)>& log_z_of) {
  const torch::Tensor x = at_least_float32(logits);
  const torch::Tensor log_z = log_z_of ? log_z_of(x) : x.logsumexp(-1);
  return log_z.square().masked_fill(labels.eq(-100), 0).sum();
}

}  // namespace parity::reference
