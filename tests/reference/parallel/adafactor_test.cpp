// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Adafactor under every layout against one process, in float64.
#include <gmock/gmock.h>

#include "tests/reference/parallel/beside_one_process.hpp"

namespace parity::reference {
namespace {

using testing::Each;

class AdafactorLayoutsTest : public BesideOneProcessTest {
 protected:
  static RunConfig adafactor(const ParallelConfig& parallel) {
    RunConfig config = tiny_config(Precision::float64);
    config.optimizer.name = OptimizerName::adafactor;
    config.optimizer.implementation = OptimizerImplementation::plain;
    config.lr.base = 0.05;
    config.architecture.ffn_hidden = 25;  // divides by no number of ranks
    config.data.ignore_fraction = 0.3;
    config.parallel = parallel;
    if (parallel.cp > 1)
      config.attention.backend = AttentionBackend::flex;
    return config;
  }
};

TEST_F(AdafactorLayoutsTest, WholeTensors_TrainAsOneProcess) {
  for (const ParallelConfig& parallel :
       {ParallelConfig{.dp_replicate = 2}, ParallelConfig{.dp_shard = 2}, ParallelConfig{.dp_shard = 3},
        ParallelConfig{.dp_replicate = 2, .dp_shard = 2}, ParallelConfig{.tp = 2},
        ParallelConfig{.dp_shard = 2, .tp = 2, .sequence_parallel = true, .loss_parallel = true},
        ParallelConfig{.dp_shard = 2, .pp = 2, .pp_microbatches = 2},
        ParallelConfig{.dp_shard = 2, .cp = 2}}) {
    RunConfig config = adafactor(parallel);
    config.data.global_batch = 12;
    EXPECT_THAT(beside_one_process(config), Each(""))
        << parallel.dp_replicate << " x " << parallel.dp_shard << ", tp " << parallel.tp << ", pp "
        << parallel.pp << ", cp " << parallel.cp;
  }
}

TEST_F(AdafactorLayoutsTest, Experts_TrainAsOneProcess) {
  for (const ParallelConfig& parallel :
       {ParallelConfig{.dp_shard = 2}, ParallelConfig{.dp_shard = 4, .ep = 2}, ParallelConfig{.tp = 2},
        ParallelConfig{.dp_shard = 2, .tp = 2, .ep = 2}}) {
    RunConfig config = adafactor(parallel);
    config.model = "llama4.debug";
    config.moe = {.experts = 4, .top_k = 2, .hidden = 10, .shared_hidden = 7, .every = 1};
    EXPECT_THAT(beside_one_process(config), Each(""))
        << parallel.dp_shard << ", ep " << parallel.ep << ", tp " << parallel.tp;
  }
}

}  // namespace
}  // namespace parity::reference
