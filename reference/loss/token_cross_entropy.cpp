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

torch::Tensor token_cross_entropy_sum(const torch::Tensor& logits, const torch::Tensor& labels) {
  return reduced(logits, labels, at::Reduction::Sum);
}

torch::Tensor token_cross_entropy_mean(const torch::Tensor& logits, const torch::Tensor& labels) {
  return reduced(logits, labels, at::Reduction::Mean);
}

}  // namespace parity::reference
