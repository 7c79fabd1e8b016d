// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/model/activation_checkpointing.hpp"

#include <gmock/gmock.h>

#include "reference/train/step/trainer.hpp"
#include "tests/reference/tiny.hpp"
#include "tests/support/ranks.hpp"

namespace parity::reference {
namespace {

using testing::Each;

constexpr int64_t blocks = 4;

RunConfig config_of(ActivationCheckpointing choice) {
  RunConfig config = tiny_config();
  config.architecture.n_layers = blocks;
  config.data.micro_batches = 2;
  config.data.ignore_fraction = 0.2;
  config.parallel.activation_checkpointing = choice;
  return config;
}

/// Loss, gradient norm and size of each of three updates.
std::vector<double> numbers(RunConfig config, const std::shared_ptr<Group>& world, int64_t recomputed) {
  Trainer trainer(config, world);
  std::vector<double> all;
  for (int step = 0; step < 3; ++step) {
    const StepResult result = trainer.step();
    for (const double number : {result.loss, result.grad_norm, result.update_norm})
      all.push_back(number);
    require(result.recomputed_blocks.value_or(0) == recomputed,
            std::to_string(result.recomputed_blocks.value_or(0)) + " blocks were computed again");
  }
  return all;
}

class ActivationCheckpointingTest : public RanksTest {
 protected:
  /// Expects that all ways give the same bits, on the given number of ranks and with `change`.
  void expect_identical(int64_t ranks, const std::function<void(RunConfig&)>& change) {
    const auto body = [&](Group& world) {
      const std::shared_ptr<Group> all = held(world);
      const auto with = [&](ActivationCheckpointing choice, int64_t recomputed) {
        RunConfig config = config_of(choice);
        change(config);
        return numbers(config, all, recomputed * config.data.micro_batches);
      };
      const std::vector<double> kept = with(ActivationCheckpointing::none, 0);
      require(with(ActivationCheckpointing::full, blocks) == kept, "all blocks computed again: other bits");
      require(with(ActivationCheckpointing::every, blocks / 2) == kept,
              "every second block computed again: other bits");
    };
    EXPECT_THAT(run_ranks(ranks, body), Each(""));
  }
};

TEST_F(ActivationCheckpointingTest, LeavesEveryNumberAsItIs) {
  expect_identical(1, [](RunConfig&) {});
  expect_identical(1, [](RunConfig& config) { config.loss.chunks = 3; });
  expect_identical(1, [](RunConfig& config) { config.attention.backend = AttentionBackend::flex; });
}

TEST_F(ActivationCheckpointingTest, AlsoAroundTheCollectivesOfTensorParallel) {
  expect_identical(2, [](RunConfig& config) { config.parallel.tp = 2; });
  expect_identical(2, [](RunConfig& config) {
    config.parallel.tp = 2;
    config.parallel.sequence_parallel = true;
    config.parallel.loss_parallel = true;
  });
}

TEST_F(ActivationCheckpointingTest, AlsoInsideUnitsThatAreGathered) {
  expect_identical(2, [](RunConfig& config) { config.parallel.dp_shard = 2; });
  expect_identical(2, [](RunConfig& config) {
    config.parallel.dp_shard = 2;
    config.parallel.mixed_precision = MixedPrecision::bf16;
  });
}

TEST_F(ActivationCheckpointingTest, AlsoInStagesOfAPipeline) {
  for (const auto schedule : {PipelineSchedule::gpipe, PipelineSchedule::one_forward_one_backward})
    expect_identical(2, [&](RunConfig& config) {
      config.data.global_batch = 8;
      config.parallel.pp = 2;
      config.parallel.pp_schedule = schedule;
      config.parallel.pp_microbatches = 2;
    });
}

TEST_F(ActivationCheckpointingTest, AlsoAroundGatheredKeysAndValues) {
  expect_identical(2, [](RunConfig& config) {
    config.attention.backend = AttentionBackend::flex;
    config.parallel.cp = 2;
  });
}

TEST_F(ActivationCheckpointingTest, AlsoUnderAutocast) {
  expect_identical(1, [](RunConfig& config) { config.train.autocast = true; });
}

}  // namespace
}  // namespace parity::reference
