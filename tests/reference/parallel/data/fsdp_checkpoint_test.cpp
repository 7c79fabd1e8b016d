// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "reference/model/parameter.hpp"
#include "reference/parallel/core/layout.hpp"
#include "reference/train/step/trainer.hpp"
#include "tests/reference/tiny.hpp"
#include "tests/support/ranks.hpp"

namespace parity::reference {
namespace {

using testing::Each;

class FsdpCheckpointTest : public RanksTest {
 protected:
  static RunConfig layout(int64_t dp_replicate, int64_t dp_shard) {
    RunConfig config = tiny_config(Precision::float64);
    config.architecture.vocab_size = 41;
    config.parallel.dp_replicate = dp_replicate;
    config.parallel.dp_shard = dp_shard;
    return config;
  }

  struct Outcome {
    std::vector<torch::Tensor> parameters;  ///< whole, as they were saved
    std::vector<double> losses;             ///< of two more updates
  };

  static Outcome go_on(Trainer& trainer) {
    Outcome outcome;
    for (const Parameter& parameter : trainer.parameters())
      outcome.parameters.push_back(
          logical_tensor(parameter.value.detach(), parameter.layout, trainer.world()).clone());
    outcome.losses = {trainer.step().loss, trainer.step().loss};
    return outcome;
  }

  /// Two updates, saved, and two more.
  static Outcome train_and_save(const RunConfig& config, Group& world, const std::filesystem::path& file) {
    Trainer trainer(config, held(world));
    trainer.step();
    trainer.step();
    trainer.save(file);
    world.barrier();
    return go_on(trainer);
  }

  static Outcome load_and_train(RunConfig config, Group& world, const std::filesystem::path& file) {
    config.seed = 99;  // everything must come from the file
    Trainer trainer(config, held(world));
    trainer.load(file, {});
    return go_on(trainer);
  }

  static void expect_same(const Outcome& a, const Outcome& b) {
    for (size_t i = 0; i < a.parameters.size(); ++i)
      require(a.parameters[i].equal(b.parameters[i]), "another parameter was loaded");
    for (size_t i = 0; i < a.losses.size(); ++i)
      require(std::abs(a.losses[i] - b.losses[i]) <= 1e-13 * a.losses[i],
              fmt::format("loss {} and {}", a.losses[i], b.losses[i]));
  }
};

TEST_F(FsdpCheckpointTest, WhatOneLayoutSavedAnotherGoesOnFrom) {
  const std::filesystem::path file = folder / "checkpoint.pt";
  EXPECT_THAT(run_ranks(4,
                        [&](Group& world) {
                          const Outcome straight = train_and_save(layout(1, 4), world, file);
                          for (const auto& [replicas, shards] : {std::pair{1, 4}, {2, 2}, {4, 1}})
                            expect_same(straight, load_and_train(layout(replicas, shards), world, file));
                          if (world.rank() == 0)
                            expect_same(straight, load_and_train(layout(1, 1), *Group::world({}, {}), file));
                        }),
              Each(""));
}

TEST_F(FsdpCheckpointTest, OneProcessSavedAndRanksGoOn) {
  const std::filesystem::path file = folder / "checkpoint.pt";
  EXPECT_THAT(run_ranks(2,
                        [&](Group& world) {
                          Outcome straight;
                          if (world.rank() == 0)
                            straight = train_and_save(layout(1, 1), *Group::world({}, {}), file);
                          world.barrier();
                          const Outcome resumed = load_and_train(layout(1, 2), world, file);
                          if (world.rank() == 0)
                            expect_same(straight, resumed);
                        }),
              Each(""));
}

}  // namespace
}  // namespace parity::reference
