// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>

#include <torch/types.h>

#include "reference/config/run_config.hpp"
#include "reference/data/loader.hpp"

namespace parity::reference {

/// token_cross_entropy_sum, or its replacement if each rank holds only a shard of the logits.
using CrossEntropySum =
    std::function<torch::Tensor(const torch::Tensor& logits, const torch::Tensor& labels)>;

/// Divides the loss of one micro-batch before backward. Each rule keeps its source's order of operations.
///
/// c is the cross entropy summed over the n labels of this micro-batch that count. M is the number of
/// micro-batches, and N the sum of their n.
///
/// With z_coef, c is cross entropy + z_coef times z_loss_sum().
///
/// | rule             | backward of | afterwards              | source                                   |
/// |------------------|-------------|-------------------------|------------------------------------------|
/// | global_tokens    | c / N       |                         | torchtitan since #2206: the token mean   |
/// | microbatch_mean  | (c / n) / M |                         | torchtitan until then: a mean of means   |
/// | gradient_scaling | (c / n) n   | gradients and loss x1/N | torchtune; N need not be known before    |
///
/// The first and the last are the same mathematics. c / n is the operator's mean reduction.
/// Source: NUMERICS.md 3.1, 3.2.
struct LossRule {
  Normalization normalization = Normalization::global_tokens;
  int64_t valid_tokens = 0;       ///< n
  UpdateTotals totals;            ///< M, and N unless the rule is gradient_scaling
  CrossEntropySum of_parts = {};  ///< computes c from sharded logits; c / n is then a division
  double z_coef = 0;              ///< each c has this times the z-loss of its tokens besides
  std::function<torch::Tensor(const torch::Tensor& logits)> log_z_of_parts = {};  ///< of sharded logits

  /// Returns whether the loss is defined: a mean over no label is 0 / 0.
  bool defined() const { return normalization != Normalization::microbatch_mean || valid_tokens > 0; }

  /// \param logits_BSV  [B, S, V]
  /// \param labels_BS   [B, S] int64, of which n are not -100
  /// Returns the loss of the whole micro-batch, a scalar. If no label counts, gradient_scaling gives 0 and no
  /// gradient, as torchtune does.
  /// \throws InternalError unless defined()
  torch::Tensor whole(const torch::Tensor& logits_BSV, const torch::Tensor& labels_BS) const;

  /// Returns what some of the micro-batch's tokens add to the loss. Over all tokens the shares sum to
  /// whole().
  /// \param logits_TV  [T, V]. \param labels_T  [T]
  torch::Tensor share(const torch::Tensor& logits_TV, const torch::Tensor& labels_T) const;

 private:
  torch::Tensor sum(const torch::Tensor& logits, const torch::Tensor& labels) const;
  torch::Tensor mean(const torch::Tensor& logits, const torch::Tensor& labels) const;
};

/// Returns the factor 1 / N of gradient_scaling, computed as the reciprocal of a tensor, at least float32.
/// \param dtype  of the gradients
torch::Tensor gradient_scale(int64_t valid_tokens, torch::ScalarType dtype);

/// Returns the sum of the differentiated losses of an update's micro-batches, a scalar, in the order of the
/// rule's source. With gradient_scaling the caller still has to multiply it by gradient_scale().
torch::Tensor sum_of_losses(Normalization normalization, std::span<const torch::Tensor> losses);

}  // namespace parity::reference
