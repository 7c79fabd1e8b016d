// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/types.h>

namespace parity::reference {

/// Sum over the labels that count of -log softmax(logits)[label], in at least float32.
///
/// \param logits  [B, S, V] or [T, V] floating
/// \param labels  [B, S] or [T] int64; -100 does not count
/// \return scalar; 0 where no label counts
torch::Tensor token_cross_entropy_sum(const torch::Tensor& logits, const torch::Tensor& labels);

/// The same divided by the number of labels that count, as the operator itself does it.
/// \return scalar; NaN where no label counts
torch::Tensor token_cross_entropy_mean(const torch::Tensor& logits, const torch::Tensor& labels);

}  // namespace parity::reference
