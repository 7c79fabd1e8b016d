// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include <torch/types.h>

namespace parity::reference {

/// A loss that has already been differentiated as far as the hidden states.
struct ChunkedLoss {
  torch::Tensor loss;         ///< scalar, detached
  torch::Tensor hidden_grad;  ///< like the hidden states: what to start backward with there
};

/// Loss through the output projection, some tokens at a time, so that the logits of all tokens never exist at
/// once: T V numbers become T V / N.
///
/// The T = B S tokens are cut into N equal chunks in order. For each: logits = output(hidden), share of the
/// loss, backward; gradients of the output's weight add up over chunks, those of the hidden states are put
/// into one buffer of at least float32. The loss is the sum of the shares, from the first on.
/// Mathematically the whole loss; products of other shapes and another order of sums.
///
/// \param hidden_BSD  [B, S, D] with its graph, which is left alone: the caller goes on with hidden_grad
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
