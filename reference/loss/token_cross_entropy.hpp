// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/types.h>

#include "reference/config/run_config.hpp"

namespace parity::reference {

/// Sum over the labels that count of -log softmax(logits)[label], in at least float32.
///
/// \param logits_BSV  [B, S, V] floating
/// \param labels_BS   [B, S] int64; -100 does not count
/// \return scalar
torch::Tensor token_cross_entropy_sum(const torch::Tensor& logits_BSV, const torch::Tensor& labels_BS);

/// What a micro-batch's summed loss is divided by before backward.
///
/// global_tokens: valid tokens of the whole update; the gradient is the token mean, however it is cut.
/// microbatch_mean: valid tokens of this micro-batch times the number of micro-batches, a mean of means.
/// Source: NUMERICS.md 3.1.
double loss_divisor(Normalization normalization, int64_t update_tokens, int64_t micro_batch_tokens,
                    int64_t micro_batches);

}  // namespace parity::reference
