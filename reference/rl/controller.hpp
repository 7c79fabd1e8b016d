// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "reference/rl/generator/generator.hpp"
#include "reference/rl/imported_rollouts.hpp"
#include "reference/rl/policy_trainer.hpp"
#include "reference/rl/rollout.hpp"
#include "reference/rl/served_policy.hpp"
#include "reference/rl/sum_of_digits.hpp"

namespace parity::reference {

/// Drives a policy trainer and its generator, on the same ranks, through one update after another:
///
///   generate -> reward -> advantages -> forward_backward for each micro-batch -> optim_step -> push -> pull
///
/// The rows of an update are its completions, one group for each prompt in order. Each rank generates an
/// equal share of them; an all-gather then gives every rank all of them. With data.path a file gives the
/// completions and their rewards, and nothing is generated or pushed.
class Controller {
 public:
  /// \param trainer  of a config with data.source = rollouts; must outlive this object
  explicit Controller(Trainer& trainer);

  /// Makes one update. \throws UserError, NonFinite as PolicyTrainer's and Generator's functions
  StepResult update();

 private:
  std::vector<Rollout> generate(int64_t update);
  /// Generates this rank's share of the completions. \return all completions, on every rank
  std::vector<Completion> complete(const std::vector<GenerationRequest>& requests);
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
  SumOfDigits task_;
  PolicyTrainer policy_;
  std::shared_ptr<Group> generator_ranks_;
  Generator generator_;
  ServedPolicy served_;
  std::optional<ImportedRollouts> imported_;  ///< set with data.path
  std::map<int64_t, double> scored_;          ///< share of the tokens of an update to come
};

}  // namespace parity::reference
