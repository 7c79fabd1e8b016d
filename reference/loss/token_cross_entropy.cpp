// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/loss/token_cross_entropy.hpp"

#include "harness/base/error.hpp"
#include "reference/model/precision.hpp"

namespace parity::reference {

torch::Tensor token_cross_entropy_sum(const torch::Tensor& logits_BSV, const torch::Tensor& labels_BS) {
  return at::cross_entropy_loss(at_least_float32(logits_BSV.flatten(0, 1)), labels_BS.flatten(0, 1),
                                /*weight=*/{}, at::Reduction::Sum, /*ignore_index=*/-100);
}

double loss_divisor(Normalization normalization, int64_t update_tokens, int64_t micro_batch_tokens,
                    int64_t micro_batches) {
  switch (normalization) {
    case Normalization::global_tokens:
      return static_cast<double>(update_tokens);
    case Normalization::microbatch_mean:
      return static_cast<double>(micro_batch_tokens * micro_batches);
  }
  throw InternalError("unknown loss normalization");
}

}  // namespace parity::reference
