// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "reference/rl/controller.hpp"
#include "reference/train/step/trainer.hpp"
#include "tests/reference/rl/rollouts.hpp"
#include "tests/support/ranks.hpp"

// In batch-invariant mode the generator and the trainer compute the same log probabilities, in every layout.

namespace parity::reference {
namespace {

class BitwiseLayoutsTest : public RanksTest {
 protected:
  using Change = std::function<void(RunConfig&)>;

  /// Trains three updates on the given number of ranks; complains about an update whose log probabilities are
  /// not all equal.
  std::vector<std::string> complaints(const Change& change) {
    RunConfig config = policy_config();
    config.model = "qwen3.debug";
    config.architecture.tied_embeddings = Switch::off;
    config.lr.base = 0.01;
    config.attention.backend = AttentionBackend::tiled;
    config.train.batch_invariant = true;
    config.rl.digits = 5;
    config.rl.max_new_tokens = 7;
    config.rl.generator.max_sequences = 3;
    config.rl.generator.max_tokens = 4;
    change(config);
    return run_ranks(config.parallel.ranks(), [&](Group& world) {
      Trainer trainer(config, held(world));
      Controller controller(trainer);
      for (int i = 0; i < 3; ++i)
        if (controller.update().policy->metrics.logprobs_equal != 1)
          throw std::runtime_error("other bits");
    });
  }

  void expect_same_bits(const Change& change) {
    for (const std::string& complaint : complaints(change))
      EXPECT_EQ(complaint, "");
  }
};

TEST_F(BitwiseLayoutsTest, OneRank) {
  expect_same_bits([](RunConfig&) {});
}

TEST_F(BitwiseLayoutsTest, ShardsAlsoUnderAPolicyOf16Bits) {
  expect_same_bits([](RunConfig& c) { c.parallel.dp_shard = 2; });
  expect_same_bits([](RunConfig& c) {
    c.parallel.dp_shard = 2;
    c.parallel.mixed_precision = MixedPrecision::bf16;
    c.rl.generator.dtype = GeneratorPrecision::bfloat16;
  });
}

TEST_F(BitwiseLayoutsTest, TensorAndSequenceParallelOfTheSameDegree) {
  for (const bool sequence : {false, true})
    expect_same_bits([&](RunConfig& c) {
      c.parallel.tp = c.rl.generator.tp = 2;
      c.parallel.sequence_parallel = sequence;
    });
}

TEST_F(BitwiseLayoutsTest, TensorParallelOfAnotherDegreeIfSumsAreTrees) {
  struct Degrees {
    int64_t trainer, shards, generator;
  };
  for (const auto& [trainer, shards, generator] :
       {Degrees{2, 1, 1}, Degrees{4, 1, 1}, Degrees{4, 1, 2}, Degrees{1, 4, 4}, Degrees{2, 2, 4}})
    for (const bool sequence : {false, true})
      expect_same_bits([=](RunConfig& c) {
        c.architecture.n_kv_heads = 4;
        c.parallel.tp = trainer;
        c.parallel.dp_shard = shards;
        c.parallel.sequence_parallel = sequence && trainer > 1;
        c.parallel.tp_sum_pieces = 8;
        c.rl.generator.tp = generator;
      });
}

TEST_F(BitwiseLayoutsTest, TreesUnderAPolicyOf16Bits) {
  expect_same_bits([](RunConfig& c) {
    c.parallel.dp_shard = c.parallel.tp = 2;
    c.parallel.tp_sum_pieces = 4;
    c.parallel.mixed_precision = MixedPrecision::bf16;
    c.rl.generator.dtype = GeneratorPrecision::bfloat16;
  });
}

TEST_F(BitwiseLayoutsTest, StagesOfAPipeline) {
  expect_same_bits([](RunConfig& c) {
    c.parallel.pp = 2;
    c.parallel.pp_microbatches = 2;
  });
}

TEST_F(BitwiseLayoutsTest, WithoutTheModeOrWithAnotherDegreeBitsDiffer) {
  for (const Change& change : std::vector<Change>{[](RunConfig& c) {
                                                    c.train.batch_invariant = false;
                                                    c.attention.backend = AttentionBackend::sdpa;
                                                  },
                                                  [](RunConfig& c) { c.parallel.tp = 2; }})
    for (const std::string& complaint : complaints(change))
      EXPECT_EQ(complaint, "other bits");
}

}  // namespace
}  // namespace parity::reference
