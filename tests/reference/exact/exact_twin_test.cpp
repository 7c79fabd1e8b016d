// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The exact twin of whole trainings: what computes the same function has the same residues in every gradient,
// parameter and moment, and what does not has others.
#include "reference/train/numerics/exact_twin.hpp"

#include <map>

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "reference/parallel/core/layout.hpp"
#include "reference/train/step/trainer.hpp"
#include "tests/reference/tiny.hpp"
#include "tests/support/ranks.hpp"

namespace parity::reference {
namespace {

using testing::Each;
using testing::HasSubstr;

class ExactTwinTest : public RanksTest {
 protected:
  static RunConfig config() {
    RunConfig config = tiny_config();
    config.data.global_batch = 4;
    config.data.ignore_fraction = 0.3;
    config.clip.max_norm = 0.01;  // acts
    return config;
  }

  /// Returns the whole residues of every gradient and parameter of this process's part of the model.
  static std::map<std::string, torch::Tensor> residues_after(Trainer& trainer, const Group& ranks) {
    for (int64_t step = 1; step <= 2; ++step)
      trainer.step();
    std::map<std::string, torch::Tensor> result;
    const auto keep = [&](const std::string& name, const torch::Tensor& x, const TensorLayout& layout) {
      result[name] = logical_tensor(recorded(x.detach(), name), layout, ranks);
    };
    for (const Parameter& each : trainer.parameters()) {
      keep("grad/" + each.name, each.value.grad(), each.layout);
      keep("param/" + each.name, each.value, each.layout);
    }
    return result;
  }

  /// Trains both in each process, the first on one rank and the second on all, and demands equal residues.
  std::vector<std::string> compare(const RunConfig& one, const RunConfig& other,
                                   ExactConstants constants = ExactConstants::binary) {
    return run_ranks(other.parallel.ranks(), [&](Group& world) {
      begin_exact_twin(one, 1, constants);
      Trainer whole(one), parts(other, held(world));
      const std::shared_ptr<Group> alone =
          world.subgroup("alone" + std::to_string(world.rank()), {world.rank()});
      auto expected = residues_after(whole, *alone);
      const auto found = residues_after(parts, other.parallel.pp > 1 ? *alone : world);
      for (const auto& [name, residues] : found)
        require(torch::equal(residues, expected.at(name)), "another function: " + name);
      require(!found.empty() && (other.parallel.pp > 1 || found.size() == expected.size()),
              "tensors are missing");
      world.barrier();
    });
  }
  void expect_same(const RunConfig& one, const RunConfig& other) {
    EXPECT_THAT(compare(one, other), Each(""));
  }
  void expect_different(const RunConfig& one, const RunConfig& other) {
    EXPECT_THAT(compare(one, other), Each(HasSubstr("another function: ")));
  }
};

TEST_F(ExactTwinTest, AccumulationChunksAndRecomputationAreTheSameFunction) {
  RunConfig other = config();
  other.data.micro_batches = 4;
  other.parallel.activation_checkpointing = ActivationCheckpointing::full;
  other.optimizer.implementation = OptimizerImplementation::fused;
  expect_same(config(), other);
}

TEST_F(ExactTwinTest, TensorParallelismIsTheSameFunction) {
  RunConfig other = config();
  other.parallel.tp = 2;
  other.parallel.sequence_parallel = true;
  other.parallel.loss_parallel = true;
  expect_same(config(), other);
}

// The counts of a balance loss are constants, also once ranks have added theirs.
TEST_F(ExactTwinTest, BalanceLossOfContextParallelIsTheSameFunction) {
  RunConfig one = config();
  one.attention.backend = AttentionBackend::flex;
  one.moe.experts = 4;
  one.moe.top_k = 2;
  one.moe.hidden = 16;
  one.moe.balance_loss = BalanceLoss::sequence;
  one.moe.balance_loss_coeff = 0.05;
  RunConfig other = one;
  other.parallel.cp = 2;
  expect_same(one, other);
}

TEST_F(ExactTwinTest, ShardedParametersAreTheSameFunction) {
  RunConfig other = config();
  other.parallel.dp_shard = 2;
  expect_same(config(), other);
}

TEST_F(ExactTwinTest, APipelineIsTheSameFunction) {
  RunConfig other = config();
  other.parallel.pp = 2;
  other.parallel.pp_microbatches = 2;
  expect_same(config(), other);
}

TEST_F(ExactTwinTest, BFloat16IsTheSameFunction) {
  RunConfig other = config();
  other.train.autocast = true;
  expect_same(config(), other);
}

TEST_F(ExactTwinTest, RecipesAndStoredWeightsAreTheSameFunction) {
  for (const auto& [recipe, storage] : {std::pair(LinearRecipe::float8_row, WeightStorage::master),
                                        {LinearRecipe::mxfp8, WeightStorage::kahan},
                                        {LinearRecipe::nvfp4, WeightStorage::stochastic}}) {
    RunConfig other = config();
    other.dtype = Precision::exact;  // else it rounds
    other.linear.recipe = recipe;
    other.optimizer.weights = storage;
    expect_same(config(), other);
  }
}

TEST_F(ExactTwinTest, EpsOffByATenBillionthIsAnother) {
  RunConfig other = config();
  other.optimizer.eps *= 1 + 1e-10;
  expect_different(config(), other);
}

TEST_F(ExactTwinTest, RoundedDecimalIsAnotherConstantButNotAnotherDecimal) {
  RunConfig other = config();
  other.optimizer.eps = static_cast<double>(static_cast<float>(config().optimizer.eps));
  ASSERT_NE(other.optimizer.eps, config().optimizer.eps);
  expect_different(config(), other);
  EXPECT_THAT(compare(config(), other, ExactConstants::decimal), Each(""));
  other.optimizer.eps *= 1.0001;
  EXPECT_THAT(compare(config(), other, ExactConstants::decimal), Each(HasSubstr("another function: ")));
}

TEST_F(ExactTwinTest, AMeanOfMeansIsAnother) {
  RunConfig other = config();
  other.data.micro_batches = 4;
  other.loss.normalization = Normalization::microbatch_mean;
  expect_different(config(), other);
}

}  // namespace
}  // namespace parity::reference
