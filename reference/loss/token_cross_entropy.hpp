// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/types.h>

namespace parity::reference {

/// Returns the cross entropy of each token, -log softmax(logits)[label], in at least float32.
///
/// \param logits  [B, S, V] or [T, V] floating
/// \param labels  [B, S] or [T] int64; -100 does not count
/// \return shape of labels; 0 where a label does not count
torch::Tensor token_cross_entropy(const torch::Tensor& logits, const torch::Tensor& labels);

/// Returns the same values by computing log softmax over the whole vocabulary and selecting the label's
/// entry, as torchtitan's policy trainer did until 2026-08.
torch::Tensor token_cross_entropy_by_gather(const torch::Tensor& logits, const torch::Tensor& labels);

/// Returns the entropy of each token, log sum exp(x) - sum p x over the vocabulary, in at least float32 and
/// without gradient [nats].
/// \return one value for each token
torch::Tensor token_entropy(const torch::Tensor& logits);

/// Returns the sum of -log softmax(logits)[label] over the labels that count, in at least float32.
///
/// \param logits  [B, S, V] or [T, V] floating
/// \param labels  [B, S] or [T] int64; -100 does not count
/// \return scalar; 0 where no label counts
torch::Tensor token_cross_entropy_sum(const torch::Tensor& logits, const torch::Tensor& labels);

/// Returns token_cross_entropy_sum divided by the number of labels that count, by the operator's own mean
/// reduction.
/// \return scalar; NaN where no label counts
torch::Tensor token_cross_entropy_mean(const torch::Tensor& logits, const torch::Tensor& labels);

}  // namespace parity::reference
