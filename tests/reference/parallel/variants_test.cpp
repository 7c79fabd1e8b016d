// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts that some families of models have, adapters and frozen parameters, under every parallelism that
// supports them, against one process in float64.
#include <gmock/gmock.h>

#include "tests/reference/parallel/beside_one_process.hpp"
#include "tests/reference/tiny_latent.hpp"

namespace parity::reference {
namespace {

using testing::Each;

const std::vector<ParallelConfig> meshes = {
    {.dp_replicate = 2},
    {.dp_shard = 2},
    {.tp = 2},
    {.tp = 2, .sequence_parallel = true, .loss_parallel = true},
};

class VariantsTest : public BesideOneProcessTest {
 protected:
  static RunConfig base() {
    RunConfig config = tiny_config(Precision::float64);
    config.data.ignore_fraction = 0.3;
    config.attention.backend = AttentionBackend::flex;
    return config;
  }
  /// Caps, a scaled embedding, sinks, gates, biases and a z-loss, all at once.
  static RunConfig everything() {
    RunConfig config = base();
    ArchitectureConfig& a = config.architecture;
    a.attention_softcap = 2;
    a.logit_softcap = 3;
    a.embedding_scale = EmbeddingScale::sqrt_dim;
    a.attention_sinks = true;
    a.attention_gate = AttentionGate::elements;
    a.biases = BiasChoice::all;
    config.loss.z_coef = 0.1;
    return config;
  }
  static RunConfig gpt2() {
    RunConfig config = base();
    config.model = "gpt2.debug";
    config.architecture.n_kv_heads = 0;
    config.attention.backend = AttentionBackend::sdpa;
    return config;
  }
  static RunConfig adapted() {
    RunConfig config = base();
    config.lora.rank = 3;
    config.lora.targets = {LoraTarget::wq, LoraTarget::wo, LoraTarget::w1, LoraTarget::w2};
    return config;
  }
  void expect_equal_on(RunConfig config, const std::vector<ParallelConfig>& layouts) {
    for (const ParallelConfig& parallel : layouts) {
      config.parallel = parallel;
      EXPECT_THAT(beside_one_process(config), Each(""))
          << parallel.dp_replicate << " x " << parallel.dp_shard << ", tp " << parallel.tp << ", cp "
          << parallel.cp << ", pp " << parallel.pp << (parallel.sequence_parallel ? ", sequence" : "");
    }
  }
};

TEST_F(VariantsTest, PartsOfFamilies_TrainAsOnOneProcess) {
  expect_equal_on(everything(), meshes);
  expect_equal_on(everything(), {{.cp = 2}, {.pp = 2, .pp_microbatches = 2}});
}

TEST_F(VariantsTest, GatesOfHeads_TrainAsOnOneProcess) {
  RunConfig config = everything();
  config.architecture.attention_gate = AttentionGate::heads;
  config.architecture.biases = BiasChoice::qkv;
  config.loss.chunks = 4;
  expect_equal_on(config, meshes);
}

TEST_F(VariantsTest, Gpt2_TrainsAsOnOneProcess) {
  expect_equal_on(gpt2(), {meshes[0], meshes[1], meshes[2], {.tp = 2, .loss_parallel = true}});
  RunConfig config = gpt2();
  config.attention.backend = AttentionBackend::flex;
  expect_equal_on(config, {{.cp = 2}});
  config.architecture.tied_embeddings = Switch::off;
  expect_equal_on(config, {{.pp = 2, .pp_microbatches = 2}});
}

TEST_F(VariantsTest, Adapters_TrainAsOnOneProcess) {
  expect_equal_on(adapted(), meshes);
  RunConfig config = adapted();
  config.lora.form = LoraForm::merged;
  expect_equal_on(config, {{.dp_shard = 2, .reshard_after_forward = ReshardAfterForward::always}, {.cp = 2}});
}

TEST_F(VariantsTest, MergedAdaptersUnderTensorParallel) {
  RunConfig config = adapted();
  config.lora.form = LoraForm::merged;
  expect_equal_on(config, {meshes[2], meshes[3]});
}

TEST_F(VariantsTest, GatedDeltaNets_TrainAsOnOneProcess) {
  RunConfig config = base();
  config.architecture.n_layers = 3;
  config.architecture.full_attention_every = 2;
  config.architecture.delta_chunk = 5;
  const std::vector<ParallelConfig> layouts = {
      meshes[0],
      meshes[1],
      {.dp_shard = 2, .reshard_after_forward = ReshardAfterForward::always},
      {.pp = 2, .pp_microbatches = 2},
      {.dp_shard = 2, .activation_checkpointing = ActivationCheckpointing::full}};
  expect_equal_on(config, layouts);
  config.architecture.delta_form = DeltaForm::recurrent;
  config.data.packing = Packing::stream;
  config.data.positions = PositionsChoice::document;
  config.data.document_tokens = 4;
  config.attention.documents = {DocumentBoundary::position_zero};
  expect_equal_on(config, layouts);
}

TEST_F(VariantsTest, ClippedLogits_TrainAsOnOneProcess) {
  RunConfig config = base();
  config.attention.backend = AttentionBackend::sdpa;
  config.lr.base = 0.05;
  config.optimizer.qk_clip = 1e-4;
  config.data.micro_batches = 2;
  EXPECT_GT(Trainer(config).step().qk_clipped_heads, 0);
  const std::vector<ParallelConfig> layouts = {
      meshes[0],
      meshes[1],
      {.pp = 2, .pp_microbatches = 2},
      {.dp_shard = 2, .activation_checkpointing = ActivationCheckpointing::full}};
  expect_equal_on(config, layouts);
  config.architecture.n_kv_heads = 4;
  config.optimizer.qk_clip_scope = QkClipScope::layer;
  expect_equal_on(config, layouts);
  config.optimizer.qk_clip_scope = QkClipScope::head;
  config.architecture = latent(config.architecture, 10);
  expect_equal_on(config, {meshes[1]});
}

TEST_F(VariantsTest, FrozenParameters_StayAsOnOneProcess) {
  RunConfig config = base();
  config.train.freeze = {"tok_embeddings.*", "layers.0.*", "*norm.weight"};
  expect_equal_on(config, meshes);
  expect_equal_on(config, {{.cp = 2}, {.dp_replicate = 2, .replicate_with = ReplicateWith::flat_all_reduce}});
}

TEST_F(VariantsTest, MultiTokenPrediction_TrainsAsOnOneProcess) {
  RunConfig config = base();
  config.architecture.mtp_depth = 2;
  config.data.micro_batches = 2;
  for (const Normalization rule : {Normalization::global_tokens, Normalization::gradient_scaling}) {
    config.loss.normalization = rule;
    expect_equal_on(
        config,
        {meshes[0], meshes[1], {.dp_shard = 2, .reshard_after_forward = ReshardAfterForward::always}});
  }
}

TEST_F(VariantsTest, ATiedEmbeddingWithMultiTokenPrediction) {
  RunConfig config = base();
  config.model = "qwen3.debug";
  config.architecture.mtp_depth = 1;
  config.architecture.vocab_size = 43;
  expect_equal_on(config, {meshes[1], {.dp_shard = 2, .reshard_after_forward = ReshardAfterForward::always}});
}

}  // namespace
}  // namespace parity::reference
