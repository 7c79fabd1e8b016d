// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Muon under every layout against one process, in float64, where Newton-Schulz has no bfloat16.
#include <gmock/gmock.h>

#include "tests/reference/parallel/beside_one_process.hpp"

namespace parity::reference {
namespace {

using testing::AnyOf;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;

class MuonLayoutsTest : public BesideOneProcessTest {
 protected:
  static RunConfig muon(MuonSharding sharding = MuonSharding::gathered) {
    RunConfig config = tiny_config(Precision::float64);
    config.optimizer.name = OptimizerName::muon;
    config.optimizer.muon.lr = 0.02;
    config.optimizer.muon.sharding = sharding;
    config.architecture.ffn_hidden = 25;  // divides by no number of ranks
    config.data.ignore_fraction = 0.3;
    return config;
  }
  static RunConfig with_layout(RunConfig config, const ParallelConfig& parallel) {
    config.parallel = parallel;
    if (parallel.cp > 1)
      config.attention.backend = AttentionBackend::flex;
    return config;
  }
};

TEST_F(MuonLayoutsTest, WholeMatrices_TrainAsOneProcess) {
  for (const MuonSharding sharding : {MuonSharding::gathered, MuonSharding::distributed})
    for (const ParallelConfig& parallel :
         {ParallelConfig{.dp_shard = 2}, ParallelConfig{.dp_shard = 3},
          ParallelConfig{.dp_replicate = 2, .dp_shard = 2}, ParallelConfig{.tp = 2},
          ParallelConfig{.dp_shard = 2, .tp = 2, .sequence_parallel = true, .loss_parallel = true},
          ParallelConfig{.dp_shard = 2, .pp = 2, .pp_microbatches = 2},
          ParallelConfig{.dp_shard = 2, .cp = 2}}) {
      RunConfig config = with_layout(muon(sharding), parallel);
      config.data.global_batch = 12;
      EXPECT_THAT(beside_one_process(config), Each(""))
          << name_of(sharding) << ": " << parallel.dp_replicate << " x " << parallel.dp_shard << ", tp "
          << parallel.tp << ", pp " << parallel.pp << ", cp " << parallel.cp;
    }
}

TEST_F(MuonLayoutsTest, Experts_TrainAsOneProcess) {
  for (const MuonSharding sharding : {MuonSharding::gathered, MuonSharding::distributed})
    for (const ParallelConfig& parallel :
         {ParallelConfig{.dp_shard = 2}, ParallelConfig{.dp_shard = 4, .ep = 2}, ParallelConfig{.tp = 2},
          ParallelConfig{.dp_shard = 2, .tp = 2, .ep = 2}}) {
      RunConfig config = with_layout(muon(sharding), parallel);
      config.model = "llama4.debug";
      config.moe = {.experts = 4, .top_k = 2, .hidden = 10, .shared_hidden = 7, .every = 1};
      EXPECT_THAT(beside_one_process(config), Each("")) << name_of(sharding) << ": " << parallel.dp_shard
                                                        << ", ep " << parallel.ep << ", tp " << parallel.tp;
    }
}

TEST_F(MuonLayoutsTest, FusedQkv_TrainsAsOneProcess) {
  for (const bool split : {false, true})
    for (const ParallelConfig& parallel : {ParallelConfig{.dp_shard = 3}, ParallelConfig{.tp = 2}}) {
      RunConfig config = with_layout(muon(), parallel);
      config.data.global_batch = 6;
      config.architecture.fused_qkv = true;
      config.optimizer.muon.split_qkv = split;
      EXPECT_THAT(beside_one_process(config), Each("")) << split << " tp " << parallel.tp;
    }
}

TEST_F(MuonLayoutsTest, Blocks_AreAnotherAlgorithm) {
  for (const ParallelConfig& parallel : {ParallelConfig{.dp_shard = 2}, ParallelConfig{.tp = 2}})
    EXPECT_THAT(beside_one_process(with_layout(muon(MuonSharding::blockwise), parallel)),
                Contains(AnyOf(HasSubstr("step 2"), HasSubstr("step 1"))));
}

TEST_F(MuonLayoutsTest, Replicas_NeedNoExchange) {
  RunConfig config = with_layout(muon(), {.dp_replicate = 2});
  EXPECT_THAT(beside_one_process(config), Each(""));
}

}  // namespace
}  // namespace parity::reference
