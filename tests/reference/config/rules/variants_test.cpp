// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "reference/config/frozen.hpp"
#include "reference/config/model_names.hpp"
#include "reference/config/read.hpp"
#include "reference/config/validate.hpp"
#include "tests/reference/config/impossible.hpp"

namespace parity::reference {
namespace {

INSTANTIATE_TEST_SUITE_P(
    Variants, ImpossibleConfig,
    testing::Values(
        Impossible{"CapOfSdpa", "architecture.attention_softcap = 50.0",
                   "architecture.attention_softcap = 50.0"},
        Impossible{"SinksOfVarlen", "architecture.attention_sinks = true\nattention.backend = \"varlen\"",
                   "architecture.attention_sinks = true"},
        Impossible{"NegativeCap", "architecture.logit_softcap = -1.0", "architecture.logit_softcap = -1.0"},
        Impossible{
            "CapInAnyBatch",
            "architecture.logit_softcap = 9.0\ntrain.batch_invariant = true\nattention.backend = \"tiled\"",
            "train.batch_invariant = true"},
        Impossible{"GateInAnyBatch",
                   "architecture.attention_gate = \"heads\"\ntrain.batch_invariant = true\n"
                   "attention.backend = \"tiled\"",
                   "train.batch_invariant = true"},
        Impossible{"NegativeZ", "loss.z_coef = -1.0", "loss.z_coef = -1.0"},
        Impossible{"ZOfAPolicy", "loss.z_coef = 1e-4\ndata.source = \"rollouts\"", "loss.z_coef"},
        Impossible{"ZOfExactTwin", "loss.z_coef = 1e-4\ndtype = \"exact\"", "loss.z_coef"},
        Impossible{"FusedBiases", "architecture.fused_qkv = true\narchitecture.biases = \"qkv\"",
                   "architecture.fused_qkv = true"},
        Impossible{"BiasesOfExperts", "model = \"qwen3.debug_moe\"\narchitecture.biases = \"all\"",
                   "architecture.biases"},
        Impossible{"LatentGate", "model = \"deepseek_v3.debug\"\narchitecture.attention_gate = \"heads\"",
                   "architecture.attention_gate"},
        Impossible{"RopeOfGpt2", "model = \"gpt2.debug\"\narchitecture.rope_theta = 1e4",
                   "architecture.rope_theta"},
        Impossible{"Gpt2Sequence",
                   "model = \"gpt2.debug\"\nparallel.tp = 2\nparallel.sequence_parallel = true",
                   "parallel.sequence_parallel"},
        Impossible{"Gpt2TooLong", "model = \"gpt2.debug\"\ndata.seq_len = 2048", "data.seq_len = 2048"},
        Impossible{"CoefWithoutDepth", "loss.mtp_coef = 0.1", "loss.mtp_coef = 0.1"},
        Impossible{"DepthBeyondRow", "architecture.mtp_depth = 8\ndata.seq_len = 8",
                   "architecture.mtp_depth = 8"},
        Impossible{"DepthWithTp", "architecture.mtp_depth = 1\nparallel.tp = 2", "parallel.tp = 2"},
        Impossible{"DepthWithPp", "architecture.mtp_depth = 1\nparallel.pp = 2", "parallel.pp = 2"},
        Impossible{"DepthInChunks", "architecture.mtp_depth = 1\nloss.chunks = 4", "loss.chunks = 4"},
        Impossible{"DepthOfExperts", "architecture.mtp_depth = 1\nmodel = \"qwen3.debug_moe\"",
                   "architecture.mtp_depth = 1"},
        Impossible{"EveryBlockAttends", "architecture.full_attention_every = 1",
                   "architecture.full_attention_every = 1"},
        Impossible{"FormWithoutNet", "architecture.delta_form = \"recurrent\"", "architecture.delta_form"},
        Impossible{"ChunkWithoutNet", "architecture.delta_chunk = 8", "architecture.delta_chunk = 8"},
        Impossible{"ChunkOfRecurrence",
                   "architecture.full_attention_every = 2\narchitecture.delta_form = \"recurrent\"\n"
                   "architecture.delta_chunk = 8",
                   "architecture.delta_chunk = 8"},
        Impossible{"EmptyChunk", "architecture.full_attention_every = 2\narchitecture.delta_chunk = 0",
                   "architecture.delta_chunk = 0"},
        Impossible{"DeltaTp", "architecture.full_attention_every = 2\nparallel.tp = 2", "parallel.tp = 2"},
        Impossible{"DeltaCp",
                   "architecture.full_attention_every = 2\nparallel.cp = 2\nattention.backend = \"flex\"",
                   "parallel.cp = 2"},
        Impossible{"DeltaWindow",
                   "architecture.full_attention_every = 2\nattention.sliding_window = 8\n"
                   "attention.backend = \"flex\"",
                   "attention.sliding_window = 8"},
        Impossible{"DeltaBlocks",
                   "architecture.full_attention_every = 2\nattention.fixed_block = 8\n"
                   "attention.backend = \"flex\"",
                   "attention.fixed_block = 8"},
        Impossible{"DeltaBiases", "architecture.full_attention_every = 2\narchitecture.biases = \"qkv\"",
                   "architecture.full_attention_every = 2"},
        Impossible{"DeltaDepth", "architecture.full_attention_every = 2\narchitecture.mtp_depth = 1",
                   "architecture.full_attention_every = 2"},
        Impossible{"DeltaLora", "architecture.full_attention_every = 2\nlora.rank = 2",
                   "architecture.full_attention_every = 2"},
        Impossible{"DeltaRecipe", "architecture.full_attention_every = 2\nlinear.recipe = \"mxfp8\"",
                   "architecture.full_attention_every = 2"},
        Impossible{"DeltaAutocast", "architecture.full_attention_every = 2\ntrain.autocast = true",
                   "architecture.full_attention_every = 2"},
        Impossible{"DeltaInAnyBatch",
                   "architecture.full_attention_every = 2\ntrain.batch_invariant = true\n"
                   "attention.backend = \"tiled\"",
                   "architecture.full_attention_every = 2"},
        Impossible{"DeltaPolicy", "architecture.full_attention_every = 2\ndata.source = \"rollouts\"",
                   "architecture.full_attention_every = 2"},
        Impossible{"DeltaExact", "architecture.full_attention_every = 2\ndtype = \"exact\"",
                   "architecture.full_attention_every = 2"},
        Impossible{"NegativeQkClip", "optimizer.qk_clip = -1.0", "optimizer.qk_clip = -1.0"},
        Impossible{"ScopeWithoutQkClip", "optimizer.qk_clip_scope = \"layer\"", "optimizer.qk_clip_scope"},
        Impossible{"QkClipOfNorms", "optimizer.qk_clip = 9.0\nmodel = \"qwen3.debug\"",
                   "optimizer.qk_clip = 9.0"},
        Impossible{"QkClipOfStates", "optimizer.qk_clip = 9.0\narchitecture.full_attention_every = 100",
                   "optimizer.qk_clip = 9.0"},
        Impossible{"QkClipOfBiases", "optimizer.qk_clip = 9.0\narchitecture.biases = \"qkv\"",
                   "optimizer.qk_clip = 9.0"},
        Impossible{"QkClipOfFused", "optimizer.qk_clip = 9.0\narchitecture.fused_qkv = true",
                   "optimizer.qk_clip = 9.0"},
        Impossible{"QkClipOfLora", "optimizer.qk_clip = 9.0\nlora.rank = 2", "optimizer.qk_clip = 9.0"},
        Impossible{"QkClipOfFrozen", "optimizer.qk_clip = 9.0\ntrain.freeze = [\"layers.0.*\"]",
                   "optimizer.qk_clip = 9.0"},
        Impossible{"QkClipOfBfloat16", "optimizer.qk_clip = 9.0\noptimizer.weights = \"kahan\"",
                   "optimizer.qk_clip = 9.0"},
        Impossible{"QkClipOfFlex", "optimizer.qk_clip = 9.0\nattention.backend = \"flex\"",
                   "optimizer.qk_clip = 9.0"},
        Impossible{"QkClipTp", "optimizer.qk_clip = 9.0\nparallel.tp = 2", "optimizer.qk_clip = 9.0"},
        Impossible{"QkClipCp", "optimizer.qk_clip = 9.0\nparallel.cp = 2\nattention.backend = \"dense\"",
                   "optimizer.qk_clip = 9.0"},
        Impossible{"QkClipDepth", "optimizer.qk_clip = 9.0\narchitecture.mtp_depth = 1",
                   "optimizer.qk_clip = 9.0"},
        Impossible{"QkClipAutocast", "optimizer.qk_clip = 9.0\ntrain.autocast = true",
                   "optimizer.qk_clip = 9.0"},
        Impossible{"QkClipOfAPolicy", "optimizer.qk_clip = 9.0\ndata.source = \"rollouts\"",
                   "optimizer.qk_clip = 9.0"},
        Impossible{"QkClipExact", "optimizer.qk_clip = 9.0\ndtype = \"exact\"", "optimizer.qk_clip = 9.0"},
        Impossible{"AlphaWithoutRank", "lora.alpha = 2.0", "lora.alpha = 2.0"},
        Impossible{"TwiceTheTarget", "lora.rank = 2\nlora.targets = [\"wq\", \"wq\"]", "lora.targets"},
        Impossible{"RankBeyondWidth", "lora.rank = 257", "lora.rank = 257"},
        Impossible{"LoraOfFused", "lora.rank = 2\narchitecture.fused_qkv = true", "lora.rank = 2"},
        Impossible{"LoraInAPipeline", "lora.rank = 2\nparallel.pp = 2", "lora.rank = 2"},
        Impossible{"FrozenPipeline", "train.freeze = [\"layers.0.*\"]\nparallel.pp = 2", "train.freeze"},
        Impossible{"FrozenRecomputed",
                   "train.freeze = [\"layers.0.*\"]\nparallel.activation_checkpointing = \"full\"",
                   "train.freeze"}),
    name_of_rule);

TEST(FrozenTest, PatternsAndAdapters_SayWhatTrains) {
  RunConfig config;
  EXPECT_TRUE(is_trained(config, "layers.0.attention.wq.weight"));
  config.train.freeze = {"layers.0.*"};
  EXPECT_FALSE(is_trained(config, "layers.0.attention.wq.weight"));
  EXPECT_TRUE(is_trained(config, "layers.10.attention.wq.weight"));
  config.lora.rank = 1;
  EXPECT_FALSE(is_trained(config, "layers.1.attention.wq.weight"));
  EXPECT_TRUE(is_trained(config, "layers.1.attention.wq.lora_a.weight"));
  EXPECT_FALSE(is_trained(config, "layers.0.attention.wq.lora_a.weight"));
}

TEST(FrozenTest, APatternWithoutAParameter_IsRefused) {
  RunConfig config;
  config.train.freeze = {"layer.0.*"};
  EXPECT_THROW(check_freeze(config, {"layers.0.a", "norm.weight"}), UserError);
  config.train.freeze = {"*"};
  EXPECT_THROW(check_freeze(config, {"layers.0.a", "norm.weight"}), UserError);
  config.train.freeze = {"layers.*"};
  EXPECT_NO_THROW(check_freeze(config, {"layers.0.a", "norm.weight"}));
}

TEST(Gpt2Test, HasItsOwnPartsAndSizes) {
  RunConfig config;
  config.model = "gpt2.124m";
  const ModelDimensions d = dimensions_of(config);
  EXPECT_TRUE(d.learned_positions && d.tied && d.biases == Biases::all && d.norm == NormKind::layer);
  EXPECT_FALSE(d.has_rope(0));
  config.architecture.dim = 64;
  EXPECT_EQ(dimensions_of(config).ffn_hidden, 256);
}

}  // namespace
}  // namespace parity::reference
