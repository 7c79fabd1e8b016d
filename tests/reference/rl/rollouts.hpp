// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reference/data/random.hpp"
#include "reference/rl/packed_rows.hpp"
#include "reference/rl/policy_batch.hpp"
#include "reference/rl/policy_trainer.hpp"
#include "reference/train/step/trainer.hpp"
#include "tests/reference/tiny.hpp"

namespace parity::reference {

/// A tiny policy, eight rollouts per update.
inline RunConfig policy_config(Precision dtype = Precision::float32) {
  RunConfig config = tiny_config(dtype);
  config.data.source = DataSource::rollouts;
  config.data.global_batch = 8;
  return config;
}

/// Returns rollouts of different lengths, as a policy of that version might have written them.
inline std::vector<Rollout> written_rollouts(int64_t version, int64_t count = 8) {
  IntegerStream random(3, 5, static_cast<uint64_t>(version));
  const auto token = [&] { return static_cast<int64_t>(random.below(40)); };
  std::vector<Rollout> rollouts;
  for (int64_t i = 0; i < count; ++i) {
    Rollout& rollout = rollouts.emplace_back();
    for (uint64_t n = 1 + random.below(4); n > 0; --n)
      rollout.prompt.push_back(token());
    for (uint64_t n = 1 + random.below(7); n > 0; --n) {
      rollout.completion.push_back(token());
      rollout.logprobs.push_back(-3 - static_cast<double>(random.below(1000)) / 1000);
      rollout.loss_mask.push_back(rollout.completion.size() != 2);
    }
    rollout.version = version;
    rollout.group = i / 3;
    rollout.advantage = static_cast<double>(random.below(2000)) / 1000 - 1;
  }
  return rollouts;
}

/// The rollouts of one update in the form that each rank of a trainer gets.
struct WrittenUpdate {
  explicit WrittenUpdate(const Trainer& trainer, RowShare share = {}) {
    const RunConfig& config = trainer.config();
    const RolloutLimits limits = {config.data.seq_len, 40, trainer.updates_done(), 0,
                                  config.rl.unknown_logprobs};
    const std::vector<Rollout> rollouts = written_rollouts(trainer.updates_done(), config.completions());
    require_usable(rollouts, limits);
    const std::vector<PolicyBatch> rows = config.rl.packing == RolloutPacking::none
                                              ? single_rows(rollouts, limits)
                                              : packed_rows(rollouts, limits, config.data.global_batch);
    divisor = divisor_of(rows, share.count);
    batches = own_batches(rows, share, config.data.micro_batches);
  }

  std::vector<PolicyBatch> batches;
  PolicyDivisor divisor;
};

/// One update, call by call.
inline StepResult update_of(Trainer& trainer, PolicyTrainer& policy, RowShare share = {}) {
  WrittenUpdate update(trainer, share);
  policy.zero_grad();
  if (policy.has_reference())
    for (PolicyBatch& batch : update.batches)
      policy.refer(batch);
  for (const PolicyBatch& batch : update.batches)
    policy.forward_backward(batch, trainer.config().rl, update.divisor);
  return policy.optim_step();
}

}  // namespace parity::reference
