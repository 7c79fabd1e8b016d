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

/// The place of a rollout in a batch.
struct RolloutSpan {
  int64_t first = 0;            ///< number of its first token among [B, S]
  int64_t positions = 0;        ///< that it takes: all its tokens but the last
  int64_t tokens = 0;           ///< that count
  int64_t group = 0;            ///< Rollout::group
  int64_t tokens_of_group = 0;  ///< that count, of all completions of its prompt in the update
  double advantage = 0;
};

/// Rollouts in the form that a trainer takes: one rollout for each row, padded at the end, or several
/// (packed_rows.hpp). A label counts if the loss includes it. `generator`, `reference` and `advantages` have
/// one number for each token, [B, S], row after row; it is 0 where the label does not count.
struct PolicyBatch {
  MicroBatch rows;
  std::vector<RolloutSpan> rollouts;
  std::vector<double> generator;   ///< log probabilities that the labels were sampled with
  std::vector<double> reference;   ///< of the reference policy; empty = no such policy
  std::vector<double> advantages;  ///< of the token's rollout

  /// Returns the advantage of each rollout that has a label that counts.
  std::vector<double> rollout_advantages() const;
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

/// Returns the positions that a rollout takes in a row.
int64_t positions_of(const Rollout& rollout);

/// Returns a batch of one row. \param rollout  checked
PolicyBatch batch_of(const Rollout& rollout, const RolloutLimits& limits);

/// Returns a batch of one row of padding: tokens and positions are 0, and no label counts.
PolicyBatch empty_row(int64_t seq_len);

/// Writes a rollout into a batch of one row, with positions from 0. The last token is a label only.
/// \param rollout  checked
/// \param at       place of its first token; all of them fit
void place_rollout(PolicyBatch& batch, const Rollout& rollout, int64_t at);

/// Sets tokens_of_group of every rollout. \param rows  of the whole update
void count_groups(std::span<PolicyBatch> rows);

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
