// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/config/run_config.hpp"
#include "reference/data/loader.hpp"
#include "reference/loss/policy_loss.hpp"
#include "reference/rl/rollout.hpp"

namespace parity::reference {

/// Rollouts in the form that a trainer takes: one rollout for each row, padded at the end. A label counts if
/// the loss includes it. All members but `rows` have one number for each token, [B, S], row after row; it is
/// 0 where the label does not count.
struct PolicyBatch {
  MicroBatch rows;
  std::vector<double> generator;   ///< log probabilities that the labels were sampled with
  std::vector<double> reference;   ///< of the reference policy; empty = no such policy
  std::vector<double> advantages;  ///< of the row's rollout

  /// Returns the advantage of each row that has a label that counts.
  std::vector<double> row_advantages() const;
};

/// The limits that the rollouts of an update must meet.
struct RolloutLimits {
  int64_t seq_len = 0;
  int64_t vocab_size = 0;
  int64_t version = 0;  ///< of the policy that is to learn from them
  int64_t max_lag = 0;  ///< versions that the rollouts' policy may lag
  UnknownLogprobs unknown = UnknownLogprobs::error;
};

/// Checks rollouts.
/// \throws UserError naming the rollout and its problem: no token to learn from, members of different
/// lengths, too long, a token beyond the vocabulary; a log probability or advantage that is not finite; a
/// policy that is too old or does not exist yet
void require_usable(std::span<const Rollout> rollouts, const RolloutLimits& limits);

/// Returns a batch of one row. \param rollout  checked
PolicyBatch batch_of(const Rollout& rollout, const RolloutLimits& limits);

/// Appends the rows of `more` to `batch`.
void append(PolicyBatch& batch, const PolicyBatch& more);

/// Returns the divisor of an update's loss, from all its rows.
/// \param ranks  with different rows
PolicyDivisor divisor_of(std::span<const PolicyBatch> batches, int64_t ranks);

/// Returns one rank's rows of an update in equal micro-batches, cut as the loader cuts an update.
/// \param rows  of the whole update, one row in each batch
std::vector<PolicyBatch> own_batches(std::span<const PolicyBatch> rows, RowShare share,
                                     int64_t micro_batches);

}  // namespace parity::reference
