// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <torch/types.h>

#include "reference/parallel/core/collectives.hpp"

namespace parity::reference {

/// Returns token_cross_entropy of sharded logits: each rank has its part of the vocabulary (part_of in
/// parts.hpp). It takes three reductions over the ranks, each of one number for each token:
///
///   m   = max over the vocabulary of x                 all-reduce max
///   z   = sum over the vocabulary of exp(x - m)        all-reduce sum
///   log p[label] = x[label] - m - log z, of the rank that holds it, 0 of the others    all-reduce sum
///
/// Backward needs no reduction: dx = (exp(log p) - [label]) dloss in this rank's part; 0 where a label does
/// not count.
///
/// \param logits      [..., own part of `vocabulary`] floating; at least float32 inside
/// \param labels      [...] int64; -100 does not count; the same on every rank, as is dloss
/// \return [...], the same bits on every rank; 0 where a label does not count
/// Source: NUMERICS.md 3.1; Megatron-LM (arXiv:1909.08053, section 3).
torch::Tensor vocabulary_cross_entropy(const torch::Tensor& logits, const torch::Tensor& labels,
                                       int64_t vocabulary, const GroupPointer& ranks);

/// Returns log sum exp of sharded logits over the vocabulary, for each token, by two reductions over the
/// ranks.
/// \param logits  [..., own part] at least float32
/// \return [...], the same bits on every rank
torch::Tensor vocabulary_log_sum_exp(const torch::Tensor& logits, const GroupPointer& ranks);

/// Returns the entropy of sharded logits, - sum p log p over the vocabulary, for each token, without
/// gradient.
/// \return [...], the same bits on every rank
torch::Tensor vocabulary_entropy(const torch::Tensor& logits, const GroupPointer& ranks);

}  // namespace parity::reference
