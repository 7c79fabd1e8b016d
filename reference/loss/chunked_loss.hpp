// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include <torch/types.h>

namespace parity::reference {

/// A loss whose backward pass has already run from the loss down to the hidden states.
struct ChunkedLoss {
  torch::Tensor loss;         ///< scalar, detached
  torch::Tensor hidden_grad;  ///< shape of the hidden states; start backward with it there
};

/// Computes the loss through the output projection in chunks of tokens. The logits of all tokens never exist
/// at once: T V numbers become T V / N.
///
/// The T = B S tokens are cut into N equal chunks in order. Each chunk runs logits = output(hidden), its
/// share of the loss, and backward. Gradients of the output's weight add up over chunks. Gradients of the
/// hidden states go into one buffer of at least float32. The loss is the sum of the shares, in order. The
/// result is mathematically the whole loss, but matrix shapes and the order of sums differ.
///
/// \param hidden_BSD  [B, S, D]; its graph is not used: the caller starts backward with hidden_grad
/// \param labels_BS   [B, S] int64
/// \param chunks      N, at least 1; divides B S
/// \param output      [T / N, D] to [T / N, V]
/// \param share       loss of [T / N, V] logits and [T / N] labels, scalar
/// \throws InternalError if N does not divide the number of tokens
/// Source: torchtitan's chunked loss, NUMERICS.md 3.1.
ChunkedLoss chunked_loss(
    const torch::Tensor& hidden_BSD, const torch::Tensor& labels_BS, int64_t chunks,
    const std::function<torch::Tensor(const torch::Tensor&)>& output,
    const std::function<torch::Tensor(const torch::Tensor&, const torch::Tensor&)>& share);

}  // namespace parity::reference
