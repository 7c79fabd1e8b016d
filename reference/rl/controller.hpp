// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "reference/rl/imported_rollouts.hpp"
#include "reference/rl/policy_trainer.hpp"
#include "reference/rl/rollout.hpp"
#include "reference/rl/served_policy.hpp"
#include "reference/rl/serving/policy_server.hpp"

namespace parity::reference {

/// Drives a policy trainer and its generator through one update after another:
///
///   generate -> reward -> advantages -> forward_backward for each micro-batch -> optim_step -> push -> pull
///
/// The rows of an update are its completions, one group for each prompt in order. Each generator writes an
/// equal share of them; then every rank gets all of them. The trainer's ranks generate too, unless
/// rl.generator.ranks gives the generator ranks of its own (serving_rank.hpp). With data.path a file gives
/// the completions and their rewards, and nothing is generated or pushed.
class Controller {
 public:
  /// \param trainer  of a config with data.source = rollouts; must outlive this object
  /// \param all      the trainer's ranks, then those that only generate; null = the trainer's ranks
  explicit Controller(Trainer& trainer, GroupPointer all = nullptr);

  /// Makes one update. \throws UserError, NonFinite as PolicyTrainer's and Generator's functions
  StepResult update();

 private:
  std::vector<Rollout> generate(int64_t update);
  void reward(std::vector<Rollout>& rollouts) const;
  void judge(std::vector<Rollout>& rollouts) const;
  /// Returns this rank's rows of an update's rollouts in micro-batches. \param limits  that they meet
  std::vector<PolicyBatch> rows_of(const std::vector<Rollout>& rollouts, const RolloutLimits& limits) const;
  /// Scores the imported rollouts of an update that this version of the policy is said to have written.
  void check_scores_of(int64_t update);
  /// Scores all imported rollouts that this version of the policy is said to have written: those of the next
  /// update, and those that later updates take. So each is scored by its own version.
  /// \return the share of the next update's tokens that were scored, now or before; nothing without
  /// rl.largest_gap
  std::optional<double> check_imported();
  StepResult learn(std::span<PolicyBatch> batches, const PolicyDivisor& divisor);
  StepResult call_by_call(std::span<PolicyBatch> batches, const PolicyDivisor& divisor,
                          const UpdateNumbers& numbers);

  Trainer& trainer_;
  const RunConfig& config_;
  PolicyTrainer policy_;
  PolicyRanks ranks_;
  std::optional<PolicyServer> server_;  ///< not set on a rank that only trains
  ServedPolicy served_;
  std::optional<ImportedRollouts> imported_;  ///< set with data.path
  std::map<int64_t, double> scored_;          ///< share of the tokens of an update to come
};

}  // namespace parity::reference
