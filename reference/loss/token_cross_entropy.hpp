// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

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

/// Returns the sum of (log sum exp(logits))^2 over the tokens whose label counts, in at least float32.
///
/// \param log_z_of  of logits; by default the operator logsumexp over the vocabulary
/// \return scalar; 0 where no label counts
/// Source: PaLM (arXiv:2204.02311, section 5); Mesh TensorFlow's z_loss.
torch::Tensor z_loss_sum(const torch::Tensor& logits, const torch::Tensor& labels,
                         const std::function<torch::Tensor(const torch::Tensor& logits)>& log_z_of = {});

}  // namespace parity::reference
