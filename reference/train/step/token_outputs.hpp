// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include <torch/types.h>

namespace parity::reference {

/// The model's outputs for the tokens of a piece of a micro-batch that this rank has, [b, s].
struct TokenOutputs {
  /// log softmax(logits)[label], at least float32, differentiable; 0 where a label does not count.
  torch::Tensor logprobs;
  torch::Tensor entropy;  ///< of softmax(logits), at least float32, not differentiable
  /// Cuts one number for each token of the micro-batch, [B, S] on the CPU, to these tokens and their device.
  std::function<torch::Tensor(const torch::Tensor& x_BS)> own;
};

}  // namespace parity::reference
