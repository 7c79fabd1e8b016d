// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "reference/train/step/policy_result.hpp"

namespace parity::reference {

/// Which query-key pairs an update attended over, and which positions RoPE used. No field depends on the
/// number of micro-batches.
struct MaskResult {
  int64_t pairs = 0;            ///< that attend, over all rows
  int64_t digest = 0;           ///< of those pairs
  int64_t position_digest = 0;  ///< of the positions
};

/// What one update measured. Losses and norms are float32 widened, or float64 in a twin.
struct StepResult {
  int64_t step = 0;  ///< counted from 1
  /// As it was differentiated: the sum over micro-batches, divided as the gradient.
  double loss = 0;
  double grad_norm = 0;  ///< before clipping
  double lr = 0;         ///< that the update used
  /// Of Muon's matrices; set if they have a rate of their own.
  std::optional<double> muon_lr = {};
  /// Mean loss of the depths of multi-token prediction, which `loss` does not contain; set if the model has
  /// any.
  std::optional<double> mtp_loss = {};
  /// Loss of the evaluation rows after the update; set if train.evaluate is.
  std::optional<double> eval_loss = {};
  /// That the update used; set if a schedule or the caller of optim_step() chose it.
  std::optional<double> weight_decay = {};
  /// Scale of the loss that backward started with; set with loss.scale.
  std::optional<double> loss_scale = {};
  /// Whether a gradient was not finite, so that the optimizer skipped the update; grad_norm is then 0.
  bool is_skipped = false;
  /// Positions that went through the model, counted; includes ignored labels and padding.
  int64_t tokens = 0;
  /// Labels that counted. Counted from the micro-batches, never taken from the config.
  int64_t valid_tokens = 0;
  double update_norm = 0;  ///< L2 of the change of all parameters, accumulated in float64
  /// Of tokens and labels; does not depend on the number of micro-batches.
  int64_t batch_digest = 0;
  /// Of which token went to which expert; set if the model has experts.
  std::optional<int64_t> routing_digest = {};
  /// Tokens of a block's busiest expert over the mean; set if the model has experts.
  std::optional<double> expert_imbalance = {};
  /// Of all routers, as they were differentiated beside `loss`; set if the model has them.
  std::optional<double> balance_loss = {}, router_z_loss = {};
  /// Slots that experts at their capacity dropped, over all blocks; set if experts have a capacity.
  std::optional<int64_t> dropped_slots = {};
  /// Set if the data has documents or the attention backend is not sdpa.
  std::optional<MaskResult> mask = {};
  /// Over blocks and heads, before QK-clip; set with optimizer.qk_clip.
  std::optional<double> max_attention_logit = {};
  /// Over blocks; set with optimizer.qk_clip.
  std::optional<int64_t> qk_clipped_heads = {};
  /// Blocks that backward computed again; set if activation checkpointing is on.
  std::optional<int64_t> recomputed_blocks = {};
  std::optional<PolicyResult> policy = {};  ///< set if a policy learns from rollouts
  double seconds = 0;                       ///< wall time of the step
};

}  // namespace parity::reference
