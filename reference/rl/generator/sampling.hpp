// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <torch/types.h>

namespace parity::reference {

/// Returns a number in [0, 1) with 53 random bits, from its arguments alone.
/// \param stream  the sequence
/// \param place   of the token in its completion
double uniform_of(uint64_t seed, uint64_t stream, int64_t place);

/// Returns the token of softmax(logits / temperature) at which the running sum of the probabilities exceeds
/// `uniform`. The sum is in float64, in the order of the vocabulary.
///
/// \param logits_V     [V] float32, float64 or bfloat16, finite, on the CPU
/// \param temperature  0 = the highest logit, the first of equals
/// \param uniform      in [0, 1)
int64_t sampled_token(const torch::Tensor& logits_V, double temperature, double uniform);

}  // namespace parity::reference
