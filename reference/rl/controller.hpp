// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "reference/rl/generator/generator.hpp"
#include "reference/rl/policy_trainer.hpp"
#include "reference/rl/rollout.hpp"
#include "reference/rl/sum_of_digits.hpp"
#include "reference/rl/weight_sync/weight_sync.hpp"

namespace parity::reference {

/// Drives a policy trainer and its generator, on the same ranks, through one update after another:
///
///   generate -> reward -> advantages -> forward_backward for each micro-batch -> optim_step -> push -> pull
///
/// The rows of an update are its completions, one group for each prompt in order. Each rank generates an
/// equal share of them; an all-gather then gives every rank all of them.
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
  void judge(std::vector<Rollout>& rollouts) const;
  StepResult learn(std::span<PolicyBatch> batches, const PolicyDivisor& divisor);
  StepResult call_by_call(std::span<PolicyBatch> batches, const PolicyDivisor& divisor,
                          const UpdateNumbers& numbers);
  /// Pushes weights to the generator. \return wall time [seconds]
  double push(int64_t version);
  /// Pushes the generator's weights at the start of a run: those that it had at this point of the run.
  void push_first();

  Trainer& trainer_;
  const RunConfig& config_;
  SumOfDigits task_;
  PolicyTrainer policy_;
  std::shared_ptr<Group> generator_ranks_;
  Generator generator_;
  WeightSync sync_;
  std::vector<torch::Tensor> served_;  ///< values of the last push; kept if pushes are seldom
};

}  // namespace parity::reference
