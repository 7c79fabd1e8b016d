// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Latent attention, and q, k and v in one weight, under every parallelism, against one process in float64.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "reference/parallel/model/tensor_parallel.hpp"
#include "tests/reference/parallel/beside_one_process.hpp"
#include "tests/reference/tiny_latent.hpp"

namespace parity::reference {
namespace {

using testing::Each;

class LatentParallelTest : public BesideOneProcessTest {
 protected:
  static RunConfig with(int64_t q_rank, const ParallelConfig& parallel) {
    RunConfig config = tiny_config(Precision::float64);
    config.architecture = latent(config.architecture, q_rank);
    return laid_out(config, parallel);
  }
  static RunConfig fused(const ParallelConfig& parallel) {
    RunConfig config = tiny_config(Precision::float64);
    config.architecture.fused_qkv = true;
    config.architecture.qk_norm = Switch::on;
    return laid_out(config, parallel);
  }

 private:
  static RunConfig laid_out(RunConfig config, const ParallelConfig& parallel) {
    config.data.ignore_fraction = 0.3;
    config.parallel = parallel;
    if (parallel.cp > 1)
      config.attention.backend = AttentionBackend::flex;
    return config;
  }
};

TEST_F(LatentParallelTest, TensorParallelTrainsAsOnOneProcess) {
  for (const int64_t q_rank : {0, 10})
    for (const bool sequence_parallel : {false, true}) {
      const RunConfig config =
          with(q_rank, {.tp = 2, .sequence_parallel = sequence_parallel, .loss_parallel = sequence_parallel});
      EXPECT_THAT(beside_one_process(config), Each("")) << q_rank << " " << sequence_parallel;
    }
  EXPECT_THAT(beside_one_process(with(10, {.tp = 4})), Each("")) << "a head on each rank";
}

TEST_F(LatentParallelTest, ShardsSequencesAndStagesTrainAsOnOneProcess) {
  for (const ParallelConfig& parallel :
       {ParallelConfig{.dp_shard = 2}, ParallelConfig{.dp_shard = 2, .tp = 2, .sequence_parallel = true},
        ParallelConfig{.cp = 2}, ParallelConfig{.tp = 2, .cp = 2},
        ParallelConfig{.tp = 2, .pp = 2, .pp_microbatches = 2}}) {
    RunConfig config = with(10, parallel);
    config.parallel.activation_checkpointing = ActivationCheckpointing::full;
    EXPECT_THAT(beside_one_process(config), Each(""))
        << "shard " << parallel.dp_shard << ", tp " << parallel.tp << ", cp " << parallel.cp << ", pp "
        << parallel.pp;
  }
}

TEST_F(LatentParallelTest, FusedQkvWeight_TrainsAsOnOneProcess) {
  for (const ParallelConfig& parallel :
       {ParallelConfig{.tp = 2}, ParallelConfig{.dp_shard = 2, .tp = 2, .sequence_parallel = true},
        ParallelConfig{.cp = 2}})
    EXPECT_THAT(beside_one_process(fused(parallel)), Each("")) << parallel.tp << " " << parallel.cp;
}

TEST(LatentCutTest, HeadsAreCutAndLatentsAreWhole) {
  const auto cut = [](const char* name) {
    return tensor_parallel_cut(fmt::format("layers.0.attention.{}.weight", name));
  };
  for (const char* name : {"wq", "wq_b", "wkv_b", "wqkv"})
    EXPECT_EQ(cut(name), 0) << name;
  EXPECT_EQ(cut("wo"), 1);
  for (const char* name : {"wq_a", "q_norm", "wkv_a", "kv_norm"})
    EXPECT_EQ(cut(name), std::nullopt) << name;
}

}  // namespace
}  // namespace parity::reference
