// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include <torch/types.h>

namespace parity::reference {

/// What a model says of the tokens that a rank has of a piece of a micro-batch, [b, s].
struct TokenOutputs {
  torch::Tensor logprobs;  ///< log softmax(logits)[label], at least float32, with its graph; 0 where a label
                           ///< does not count
  torch::Tensor entropy;   ///< of softmax(logits), likewise, without a graph
  /// Cuts a number a token of the micro-batch, [B, S] on the CPU, to these tokens and their device.
  std::function<torch::Tensor(const torch::Tensor& x_BS)> own;
};

}  // namespace parity::reference
