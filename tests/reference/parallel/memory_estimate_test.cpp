// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/memory_estimate.hpp"

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "reference/parallel/apply.hpp"
#include "tests/reference/tiny.hpp"
#include "tests/support/ranks.hpp"

namespace parity::reference {
namespace {

using testing::Each;

class MemoryEstimateTest : public RanksTest {
 protected:
  /// Elements of the parameters that a rank really trains, against the estimate; the first rank has the
  /// largest part.
  static void hold_against_the_estimate(const RunConfig& config, Group& world) {
    const std::vector<MemoryEstimate> estimates = estimate_memory(config);
    require(static_cast<int64_t>(estimates.size()) == config.parallel.pp, "an estimate a place");
    Decoder model(dimensions_of(config), torch::kFloat32);
    initialize(model, 1);
    const Parallel parallel = make_parallel(config.parallel, held(world));  // until all have met
    const Applied applied = apply_parallelism(model, config.parallel, parallel);
    int64_t trained = 0;
    for (const Parameter& parameter : applied.parameters)
      trained += parameter.value.numel();
    require(
        world.rank() != 0 || estimates.front().parameters == trained,
        std::to_string(estimates.front().parameters) + " estimated, " + std::to_string(trained) + " trained");
    world.barrier();
  }
};

TEST_F(MemoryEstimateTest, IsWhatTheFirstRankOfEachLayoutTrains) {
  for (const ParallelConfig& parallel :
       {ParallelConfig{.dp_replicate = 4}, ParallelConfig{.dp_shard = 4},
        ParallelConfig{.dp_replicate = 2, .dp_shard = 2}, ParallelConfig{.tp = 4},
        ParallelConfig{.dp_shard = 2, .tp = 2}, ParallelConfig{.dp_shard = 2, .cp = 2},
        ParallelConfig{.dp_shard = 2, .pp = 2}}) {
    RunConfig config = tiny_config();
    config.architecture.n_kv_heads = 4;
    config.architecture.vocab_size = 41;  // divides by nothing
    config.parallel = parallel;
    EXPECT_THAT(run_ranks(4, [&](Group& world) { hold_against_the_estimate(config, world); }), Each(""))
        << parallel.dp_replicate << " x " << parallel.dp_shard << " x cp " << parallel.cp << " x tp "
        << parallel.tp;
  }
}

TEST_F(MemoryEstimateTest, OfExpertsIsWhatTheFirstRankTrains) {
  for (const ParallelConfig& parallel :
       {ParallelConfig{.dp_shard = 4}, ParallelConfig{.dp_shard = 4, .ep = 2},
        ParallelConfig{.dp_shard = 4, .ep = 4}, ParallelConfig{.dp_shard = 2, .tp = 2, .ep = 2}}) {
    RunConfig config = tiny_config();
    config.model = "llama4.debug";
    config.moe = {.experts = 4, .hidden = 9, .shared_hidden = 5};
    config.parallel = parallel;
    EXPECT_THAT(run_ranks(4, [&](Group& world) { hold_against_the_estimate(config, world); }), Each(""))
        << parallel.dp_shard << " x ep " << parallel.ep << " x tp " << parallel.tp;
  }
}

TEST(OptimizerMemoryTest, MasterWeightsAndCorrectionsAreOneMoreNumber) {
  RunConfig config = tiny_config();
  const int64_t moments = estimate_memory(config).front().optimizer;
  for (const WeightStorage storage : {WeightStorage::kahan, WeightStorage::master}) {
    config.optimizer.weights = storage;
    EXPECT_EQ(estimate_memory(config).front().optimizer, moments / 2 * 3);
  }
  config.optimizer.weights = WeightStorage::stochastic;
  EXPECT_EQ(estimate_memory(config).front().optimizer, moments);
}

/// NUMERICS.md 4.2, and the sizes of the files that the models' authors published: DeepSeek-V3 has
/// 671,026,419,200 with the 256 biases of each of its 58 routers, which are not parameters.
TEST(ParameterCountTest, OfModelsWithExperts) {
  for (const auto& [name, parameters] :
       {std::pair("qwen3.debug_moe", int64_t{315'758'848}), std::pair("llama4.debug", int64_t{15'017'216}),
        std::pair("qwen3.30b_a3b", int64_t{30'532'122'624}),
        std::pair("llama4.17bx16e", int64_t{107'769'861'120}),
        std::pair("deepseek_v3.debug", int64_t{33'014'016}),
        std::pair("deepseek_v3.16b", int64_t{15'706'484'224}),
        std::pair("deepseek_v3.671b", int64_t{671'026'419'200} - int64_t{58} * 256)}) {
    RunConfig config;
    config.model = name;
    EXPECT_EQ(parameter_count(config), parameters) << name;
  }
}

/// Two ranks of experts among four shards: half of a block's experts are whole at a time, together with the
/// rest of the block.
TEST(MemoryEstimateByHandTest, OfExpertsApart) {
  RunConfig config = tiny_config();
  config.model = "llama4.debug";
  config.moe = {.experts = 4, .hidden = 8, .shared_hidden = 8, .every = 1};
  config.parallel = {.dp_shard = 4, .ep = 2, .reshard_after_forward = ReshardAfterForward::always};
  // Attention 16 x 16 twice and 8 x 16 twice, shared 3 x 16 x 8, gate 4 x 16, norms 2 x 16; experts 3 x 16
  // x 8.
  const int64_t rest = 2 * 256 + 2 * 128 + 384 + 64 + 32, experts = 2 * 384;
  EXPECT_EQ(estimate_memory(config).front().gathered, 4 * (rest + experts));
}

TEST(MemoryEstimateByHandTest, OfLlama3EightBillionOverEightShards) {
  RunConfig config;
  config.model = "llama3.8b";
  config.parallel.dp_shard = 8;
  EXPECT_EQ(parameter_count(config), 8'030'261'248);
  const MemoryEstimate estimate = estimate_memory(config).front();
  EXPECT_EQ(estimate.parameters, 8'030'261'248 / 8);
  EXPECT_EQ(estimate.weights, 4 * estimate.parameters);
  EXPECT_EQ(estimate.optimizer, 8 * estimate.parameters);
  // The embedding together with norm and output: 128256 x 4096 each, and the norm's 4096.
  const int64_t elements = int64_t{2} * 128256 * 4096 + 4096;
  EXPECT_EQ(estimate.gathered, 4 * elements);
  config.parallel.mixed_precision = MixedPrecision::bf16;
  EXPECT_EQ(estimate_memory(config).front().gathered, 2 * elements);
  config.optimizer.name = OptimizerName::sgd;
  EXPECT_EQ(estimate_memory(config).front().optimizer, 0);
  config.optimizer.name = OptimizerName::lion;
  EXPECT_EQ(estimate_memory(config).front().optimizer, 4 * estimate.parameters);
  // Whole on every rank, a number for each row and each column: of embedding and output, of wq and wo, wk and
  // wv, w1, w2 and w3 in 32 blocks, and of the elements of 65 norms.
  config.optimizer.name = OptimizerName::adafactor;
  EXPECT_EQ(estimate_memory(config).front().optimizer,
            4 * (2 * (128256 + 4096) + 32 * (2 * (4096 + 4096) + 2 * (1024 + 4096) + 3 * (14336 + 4096)) +
                 65 * 4096));
  // AdamW's two moments: of the embedding, the output, and two norms in each of 32 blocks and the last one.
  const int64_t others = (int64_t{2} * 128256 * 4096 + 65 * 4096) / 8;
  config.optimizer.name = OptimizerName::muon;
  EXPECT_EQ(estimate_memory(config).front().optimizer, 4 * (estimate.parameters + others));
}

TEST(MemoryEstimateByHandTest, Policy_CountsGeneratorTwiceReferenceOnce) {
  RunConfig config;
  config.data.source = DataSource::rollouts;
  config.parallel.dp_shard = 2;
  config.rl.generator.tp = 2;
  config.rl.generator.dtype = GeneratorPrecision::bfloat16;
  const MemoryEstimate without = estimate_memory(config).front();
  EXPECT_EQ(without.served, 2 * (parameter_count(config) / 2) * 2);
  config.rl.kl_coef = 0.1;
  const MemoryEstimate with = estimate_memory(config).front();
  EXPECT_EQ(with.served - without.served, with.weights);
  EXPECT_EQ(with.total() - without.total(), with.weights);
  config.rl.generator.ranks = 2;
  EXPECT_EQ(estimate_memory(config).front().served, with.weights) << "other ranks serve";
  EXPECT_THAT(estimate_text(config), testing::HasSubstr("4 ranks\n"));
  EXPECT_THAT(estimate_text(config), testing::HasSubstr("a rank that only generates: weights "));
}

TEST(MemoryEstimateByHandTest, TextNamesTheModelAndEachPlaceOfAPipeline) {
  RunConfig config;
  config.model = "qwen3.8b";
  config.parallel.pp = 2;
  const std::string text = estimate_text(config);
  EXPECT_THAT(text, testing::HasSubstr("qwen3.8b: 8,190,735,360 parameters in float32, 2 ranks\n"));
  EXPECT_THAT(text, testing::HasSubstr("a rank at pp 1: "));
}

}  // namespace
}  // namespace parity::reference
