// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts of models other than Llama 3, under every parallelism that supports them, against one process in
// float64.
#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "reference/config/validate.hpp"
#include "tests/reference/parallel/beside_one_process.hpp"

namespace parity::reference {
namespace {

using testing::Each;
using testing::HasSubstr;

class ModelsTest : public BesideOneProcessTest {
 protected:
  /// Per-head norms, heads wider than dim / n_heads, rotate-half RoPE, a tied embedding whose vocabulary does
  /// not divide.
  static RunConfig qwen3() {
    RunConfig config = tiny_config(Precision::float64);
    config.model = "qwen3.debug";
    config.architecture.head_dim = 6;
    config.architecture.vocab_size = 43;
    config.data.ignore_fraction = 0.3;
    return config;
  }
  /// Block 0 without RoPE over whole documents, block 1 in fixed blocks of 4 tokens.
  static RunConfig irope() {
    RunConfig config = tiny_config(Precision::float64);
    config.architecture.nope_every = 2;
    config.data.packing = Packing::stream;
    config.data.positions = PositionsChoice::document;
    config.data.document_tokens = 4;
    config.data.eos_id = 39;
    config.attention = {AttentionBackend::flex, {DocumentBoundary::eos}};
    config.attention.fixed_block = 4;
    return config;
  }
};

TEST_F(ModelsTest, Qwen3TrainsAsOnOneProcess) {
  for (const ParallelConfig& parallel :
       {ParallelConfig{.dp_replicate = 2}, ParallelConfig{.dp_shard = 2},
        ParallelConfig{.dp_replicate = 2, .dp_shard = 2}, ParallelConfig{.tp = 2},
        ParallelConfig{.tp = 2, .sequence_parallel = true, .loss_parallel = true},
        ParallelConfig{.dp_shard = 2, .tp = 2, .sequence_parallel = true, .loss_parallel = true}}) {
    RunConfig config = qwen3();
    config.parallel = parallel;
    EXPECT_THAT(beside_one_process(config), Each(""))
        << parallel.dp_replicate << " x " << parallel.dp_shard << " x tp " << parallel.tp;
  }
}

TEST_F(ModelsTest, Qwen3TrainsAsOnOneProcessWithSharedSequences) {
  RunConfig config = qwen3();
  config.attention.backend = AttentionBackend::flex;
  config.parallel.cp = 2;
  EXPECT_THAT(beside_one_process(config), Each(""));
}

TEST_F(ModelsTest, ATiedEmbeddingIsGatheredForBothItsEnds) {
  for (const ReshardAfterForward reshard :
       {ReshardAfterForward::always, ReshardAfterForward::all_but_last, ReshardAfterForward::never})
    for (const int64_t chunks : {0, 4}) {
      RunConfig config = qwen3();
      config.loss.chunks = chunks;
      config.data.micro_batches = 2;
      config.parallel.dp_shard = 2;
      config.parallel.reshard_after_forward = reshard;
      config.parallel.activation_checkpointing = ActivationCheckpointing::full;
      EXPECT_THAT(beside_one_process(config), Each("")) << name_of(reshard) << " " << chunks;
    }
}

TEST_F(ModelsTest, BlocksWithoutRoPETrainAsOnOneProcess) {
  for (const ParallelConfig& parallel :
       {ParallelConfig{.dp_shard = 2}, ParallelConfig{.tp = 2, .sequence_parallel = true},
        ParallelConfig{.cp = 2}, ParallelConfig{.pp = 2, .pp_microbatches = 2}}) {
    RunConfig config = irope();
    config.parallel = parallel;
    EXPECT_THAT(beside_one_process(config), Each("")) << "cp " << parallel.cp << ", pp " << parallel.pp;
  }
}

TEST(TiedPipelineTest, IsRefused) {
  RunConfig config;
  config.model = "qwen3.debug";
  config.parallel.pp = 2;
  try {
    validate(config);
    FAIL() << "took a tied model in a pipeline";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("architecture.tied_embeddings"));
    EXPECT_THAT(error.what(), HasSubstr("parallel.pp = 1"));
  }
  config.architecture.tied_embeddings = Switch::off;
  validate(config);
}

}  // namespace
}  // namespace parity::reference
