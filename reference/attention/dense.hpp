// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <torch/types.h>

#include "reference/attention/masks/mask.hpp"
#include "reference/attention/scores.hpp"

namespace parity::reference {

/// Returns a mask as [B, 1, S, S] bool ([1, 1, S, S] if no row differs), true where a pair attends.
torch::Tensor dense_mask(const Mask& mask);

/// Computes scaled_dot_product_attention over every pair, with the mask as an argument. It is the simplest
/// form, and needs memory for S x S pairs. Shapes as in sdpa_causal.
torch::Tensor dense_attention(const torch::Tensor& q_BHSd, const torch::Tensor& k_BKSd,
                              const torch::Tensor& v_BKSe, const torch::Tensor& allowed_B1SS,
                              std::optional<double> scale = {});

/// Computes the same by products and softmax, with the scores of a rule. Products and softmax are in the
/// inputs' dtype, as in the eager attention of Hugging Face's Gemma 2 and gpt-oss.
torch::Tensor dense_attention_by_scores(const torch::Tensor& q_BHSd, const torch::Tensor& k_BKSd,
                                        const torch::Tensor& v_BKSe, const torch::Tensor& allowed_B1SS,
                                        const ScoreRule& rule);

}  // namespace parity::reference
