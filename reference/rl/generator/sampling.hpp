// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <torch/types.h>

namespace parity::reference {

/// A number of [0, 1) with 53 random bits, from its arguments alone.
/// \param stream  the sequence
/// \param place   of the token in its completion
double uniform_of(uint64_t seed, uint64_t stream, int64_t place);

/// The token of softmax(logits / temperature) at which the running sum of the probabilities, in the order of
/// the vocabulary and in float64, passes `uniform`.
///
/// \param logits_V     [V] float32, float64 or bfloat16, finite, on the CPU
/// \param temperature  0 = the highest logit, of equals the first
/// \param uniform      of [0, 1)
int64_t sampled_token(const torch::Tensor& logits_V, double temperature, double uniform);

}  // namespace parity::reference
