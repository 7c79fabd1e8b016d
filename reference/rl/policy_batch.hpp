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

/// Rollouts as a trainer takes them, one a row, filled up at its end; a label counts where the loss is of it.
/// All but `rows` are numbers a token of the rows, [B, S], row after row, 0 where no label counts.
struct PolicyBatch {
  MicroBatch rows;
  std::vector<double> generator;   ///< log probabilities that the labels were sampled with
  std::vector<double> reference;   ///< of the reference policy; empty = there is none
  std::vector<double> advantages;  ///< of the row's rollout

  /// Of rows that have a label that counts, one each.
  std::vector<double> row_advantages() const;
};

/// What the rollouts of an update have to fit.
struct RolloutLimits {
  int64_t seq_len = 0;
  int64_t vocab_size = 0;
  int64_t version = 0;  ///< of the policy that is to learn from them
  int64_t max_lag = 0;  ///< versions that theirs may be behind
  UnknownLogprobs unknown = UnknownLogprobs::error;
};

/// \throws UserError naming the rollout and what is wrong with it: nothing to learn from, parts of different
/// lengths, too long, a token beyond the vocabulary, a log probability or advantage that is not finite, a
/// policy that is too old or does not exist yet
void require_usable(std::span<const Rollout> rollouts, const RolloutLimits& limits);

/// One row. \param rollout  checked
PolicyBatch batch_of(const Rollout& rollout, const RolloutLimits& limits);

/// Rows of `more` behind those of `batch`.
void append(PolicyBatch& batch, const PolicyBatch& more);

/// What an update's loss is divided by, from all its rows.
/// \param ranks  with different rows
PolicyDivisor divisor_of(std::span<const PolicyBatch> batches, int64_t ranks);

/// The rows that one of several ranks has of an update, in equal micro-batches: as the loader cuts an update.
/// \param rows  of the whole update, one a batch
std::vector<PolicyBatch> own_batches(std::span<const PolicyBatch> rows, RowShare share,
                                     int64_t micro_batches);

}  // namespace parity::reference
