// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/model/expert_parallel.hpp"

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "reference/config/validate.hpp"
#include "tests/reference/parallel/beside_one_process.hpp"

namespace parity::reference {
namespace {

using testing::Each;
using testing::HasSubstr;

class ExpertParallelTest : public BesideOneProcessTest {
 protected:
  /// Four experts of which a token uses two, a shared one, biases that move.
  static RunConfig experts() {
    RunConfig config = tiny_config(Precision::float64);
    config.model = "llama4.debug";
    config.moe = {.experts = 4, .top_k = 2, .hidden = 10, .shared_hidden = 7, .every = 1};
    config.data.ignore_fraction = 0.3;
    return config;
  }

  /// Like beside_one_process, and also compares the routers.
  std::vector<std::string> routed_beside_one_process(const RunConfig& config) {
    return run_ranks(config.parallel.ranks(), [&](Group& world) {
      train_beside_one_process(config, world);
      Trainer parallel(config, held(world)), whole(without_ranks(config));
      for (int64_t step = 1; step <= 3; ++step) {
        const StepResult a = whole.step(), b = parallel.step();
        require(a.routing_digest == b.routing_digest && a.expert_imbalance == b.expert_imbalance,
                fmt::format("step {}: tokens went to other experts", step));
      }
      const Parameters ours = parallel.router_biases(), theirs = whole.router_biases();
      require(ours.size() == 2 && theirs.size() == 2, "a router's biases are missing");
      for (size_t i = 0; i < ours.size(); ++i)
        require(torch::equal(ours[i].value, theirs[i].value) && ours[i].value.abs().max().item<double>() > 0,
                "other biases in " + ours[i].name);
      world.barrier();
    });
  }
};

TEST_F(ExpertParallelTest, TrainsAsOneProcessInEveryLayout) {
  for (const ParallelConfig& parallel :
       {ParallelConfig{.dp_shard = 2}, ParallelConfig{.dp_shard = 2, .ep = 2},
        ParallelConfig{.dp_shard = 4, .ep = 2}, ParallelConfig{.dp_shard = 4, .ep = 4},
        ParallelConfig{.dp_replicate = 2, .dp_shard = 2, .ep = 2}, ParallelConfig{.tp = 2},
        ParallelConfig{.tp = 2, .sequence_parallel = true, .loss_parallel = true},
        ParallelConfig{.dp_shard = 2, .tp = 2, .ep = 2, .sequence_parallel = true},
        ParallelConfig{.dp_shard = 2, .ep = 2, .pp = 2, .pp_microbatches = 2}}) {
    RunConfig config = experts();
    config.parallel = parallel;
    EXPECT_THAT(routed_beside_one_process(config), Each(""))
        << parallel.dp_replicate << " x " << parallel.dp_shard << ", ep " << parallel.ep << ", tp "
        << parallel.tp << ", pp " << parallel.pp;
  }
}

TEST_F(ExpertParallelTest, TakesItsRanksFromThoseThatShareSequences) {
  RunConfig config = experts();
  config.attention.backend = AttentionBackend::flex;
  config.parallel = {.cp = 2, .ep = 2, .replicate_with = ReplicateWith::hsdp};
  EXPECT_THAT(routed_beside_one_process(config), Each(""));
}

TEST_F(ExpertParallelTest, CheckpointedMicroBatches_TrainAsOneProcess) {
  RunConfig config = experts();
  config.data.micro_batches = 2;
  config.parallel = {.dp_shard = 2,
                     .ep = 2,
                     .reshard_after_forward = ReshardAfterForward::always,
                     .activation_checkpointing = ActivationCheckpointing::full};
  EXPECT_THAT(routed_beside_one_process(config), Each(""));
}

TEST_F(ExpertParallelTest, AveragesExpertsOverAllRanksWhoseTokensTheyHad) {
  RunConfig config = experts();
  config.loss.normalization = Normalization::microbatch_mean;
  config.data.ignore_fraction = 0;  // means of equal counts are the mean of all
  config.parallel = {.dp_shard = 4, .ep = 2, .gradient_reduction = GradientReduction::average};
  EXPECT_THAT(beside_one_process(config), Each(""));
}

/// Every token to the experts of rank 0: the other rank gets none, and its experts have no gradient.
TEST_F(ExpertParallelTest, ARankMayHaveNoTokens) {
  RunConfig config = experts();
  config.moe.top_k = 1;
  config.moe.load_balance = Switch::on;
  config.moe.load_balance_coeff = 1;  // the second update's biases differ by whole scores
  config.moe.experts = 2;
  config.parallel = {.dp_shard = 2, .ep = 2};
  EXPECT_THAT(routed_beside_one_process(config), Each(""));
  EXPECT_THAT(run_ranks(2,
                        [&](Group& world) {
                          Trainer trainer(config, held(world));
                          trainer.step();
                          require(trainer.step().expert_imbalance == 2, "both ranks had tokens");
                          world.barrier();
                        }),
              Each(""));
}

TEST_F(ExpertParallelTest, ACheckpointGoesOnInAnotherLayoutWithItsBiases) {
  RunConfig config = experts();
  config.parallel = {.dp_shard = 2, .ep = 2};
  const std::filesystem::path file = folder / "checkpoint.pt";
  EXPECT_THAT(run_ranks(2,
                        [&](Group& world) {
                          Trainer trainer(config, held(world));
                          trainer.step();
                          trainer.step();
                          trainer.save(file);
                          world.barrier();
                        }),
              Each(""));
  EXPECT_THAT(
      run_ranks(1,
                [&](Group&) {
                  const RunConfig whole = without_ranks(config);
                  Trainer resumed(whole), straight(whole);
                  resumed.load(file, {});
                  straight.step();
                  straight.step();
                  expect_near(straight.step(), resumed.step());
                  for (size_t i = 0; i < 2; ++i)
                    require(torch::equal(straight.router_biases()[i].value, resumed.router_biases()[i].value),
                            "biases were not resumed");
                }),
      Each(""));
}

TEST(ExpertParallelRulesTest, SayWhatDoesNotFit) {
  const auto refusal = [](const std::function<void(RunConfig&)>& change) -> std::string {
    RunConfig config;
    config.model = "qwen3.debug_moe_8";
    change(config);
    try {
      validate(config);
    } catch (const UserError& error) {
      return error.what();
    }
    return "taken";
  };
  EXPECT_THAT(refusal([](RunConfig& c) { c.parallel.ep = 2; }), HasSubstr("parallel.dp_shard x parallel.cp"));
  EXPECT_THAT(refusal([](RunConfig& c) { c.parallel = {.dp_shard = 4, .ep = 3}; }), HasSubstr("8 experts"));
  EXPECT_THAT(refusal([](RunConfig& c) {
                c.attention.backend = AttentionBackend::flex;
                c.parallel = {.cp = 2, .ep = 2};
              }),
              HasSubstr("FSDP units"));
  EXPECT_THAT(refusal([](RunConfig& c) {
                c.model = "llama3.debug";
                c.parallel = {.dp_shard = 2, .ep = 2};
              }),
              HasSubstr("no experts"));
  EXPECT_THAT(refusal([](RunConfig& c) { c.moe.top_k = 9; }), HasSubstr("there are 8 experts"));
  EXPECT_THAT(refusal([](RunConfig& c) { c.moe.groups = 8; }), HasSubstr("equal groups of two or more"));
  EXPECT_THAT(refusal([](RunConfig& c) {
                c.moe.groups = 4;
                c.moe.limited_groups = 1;
                c.moe.top_k = 3;
              }),
              HasSubstr("have 2 experts"));
  EXPECT_THAT(refusal([](RunConfig& c) {
                c.model = "llama3.debug";
                c.moe.top_k = 2;
              }),
              HasSubstr("a model without experts"));
}

}  // namespace
}  // namespace parity::reference
