// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/types.h>

namespace parity::reference {

/// -log softmax(logits)[label] of each token, in at least float32.
///
/// \param logits  [B, S, V] or [T, V] floating
/// \param labels  [B, S] or [T] int64; -100 does not count
/// \return like labels; 0 where a label does not count
torch::Tensor token_cross_entropy(const torch::Tensor& logits, const torch::Tensor& labels);

/// The same as log softmax of all words, of which the label's is taken: what torchtitan's policy trainer did
/// until 2026-08.
torch::Tensor token_cross_entropy_by_gather(const torch::Tensor& logits, const torch::Tensor& labels);

/// log sum exp(x) - sum p x over the vocabulary of each token, in at least float32, without gradient.
/// \return like labels
torch::Tensor token_entropy(const torch::Tensor& logits);

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
