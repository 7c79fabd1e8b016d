// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Parts that some families of models have, adapters, frozen parameters and multi-token prediction, by
// ordinary PyTorch (pytorch_variants.py).
#include <algorithm>
#include <cmath>

#include "tests/support/pytorch/pytorch_fixture.hpp"

namespace parity::reference {
namespace {

class PyTorchVariantsTest : public PyTorchProgramTest {};

TEST_P(PyTorchVariantsTest, GivesTheSameLossAndGradientNormBitForBit) {
  expect_same_bits();
}

const Json dense = with(grouped, {{"attention.backend", "dense"}});
const Json gemma = with(dense, {{"architecture.attention_softcap", 2.0},
                                {"architecture.logit_softcap", 5.0},
                                {"architecture.dim", 96},
                                {"architecture.embedding_scale", "sqrt_dim"}});
const Json gpt2 = {{"model", "gpt2.debug"},          {"architecture.dim", 64},
                   {"architecture.n_layers", 3},     {"architecture.n_heads", 4},
                   {"architecture.vocab_size", 500}, {"data.seq_len", 64},
                   {"data.micro_batches", 2},        {"data.ignore_fraction", 0.25}};
const Json z = {{"loss.z_coef", 1e-2}};
const Json lora = with(grouped, {{"lora.rank", 4}, {"lr.base", 0.02}});

INSTANTIATE_TEST_SUITE_P(
    Variants, PyTorchVariantsTest,
    testing::Values(
        Setting{"ZLoss", "float32", with(grouped, z)}, Setting{"ZLossFloat64", "float64", with(grouped, z)},
        Setting{"ZLossOfChunks", "float32", with(with(grouped, z), {{"loss.chunks", 8}})},
        Setting{"ZLossOfMeans", "float32",
                with(with(grouped, z), {{"loss.normalization", "microbatch_mean"}})},
        Setting{"ZLossScaled", "float32",
                with(with(grouped, z), {{"loss.normalization", "gradient_scaling"}})},
        Setting{"Caps", "float32", gemma}, Setting{"CapsFloat64", "float64", gemma},
        Setting{"RoundedScale", "float32",
                with(gemma, {{"architecture.embedding_scale", "sqrt_dim_bfloat16"}})},
        Setting{"Sinks", "float32", with(dense, {{"architecture.attention_sinks", true}})},
        Setting{"SinksWithCaps", "float64", with(gemma, {{"architecture.attention_sinks", true}})},
        Setting{"Gate", "float32", with(grouped, {{"architecture.attention_gate", "elements"}})},
        Setting{"GateOfHeads", "float64", with(grouped, {{"architecture.attention_gate", "heads"}})},
        Setting{"BiasesOfQkv", "float32", with(grouped, {{"architecture.biases", "qkv"}})},
        Setting{"AllBiases", "float64", with(grouped, {{"architecture.biases", "all"}})},
        Setting{"Gpt2", "float32", gpt2}, Setting{"Gpt2Float64", "float64", gpt2},
        Setting{"Lora", "float32", lora},
        Setting{"LoraOfAllLayers", "float64",
                with(lora, {{"lora.targets", {"wq", "wk", "wv", "wo", "w1", "w2", "w3"}},
                            {"lora.scale", "sqrt_rank"}})},
        Setting{"LoraMerged", "float32", with(lora, {{"lora.form", "merged"}})},
        Setting{"Frozen", "float32",
                with(grouped, {{"train.freeze", {"tok_embeddings.*", "layers.0.*", "*norm.weight"}}})}),
    name_of_setting);

Json delta_nets(const char* form, const Json& changes = Json::object()) {
  return with(with(grouped, {{"architecture.full_attention_every", 2}, {"architecture.delta_form", form}}),
              changes);
}

const Json packed_documents = {{"attention.backend", "dense"}, {"attention.documents", {"eos"}},
                               {"data.packing", "stream"},     {"data.positions", "document"},
                               {"data.document_tokens", 9},    {"data.eos_id", 7}};

INSTANTIATE_TEST_SUITE_P(DeltaNets, PyTorchVariantsTest,
                         testing::Values(Setting{"Recurrent", "float32", delta_nets("recurrent")},
                                         Setting{"RecurrentFloat64", "float64", delta_nets("recurrent")},
                                         Setting{"RecurrentDocuments", "float64",
                                                 delta_nets("recurrent", packed_documents)}),
                         name_of_setting);

/// MKL may add batches of small products in another order, so chunks are compared in float64.
class PyTorchChunksTest : public PyTorchProgramTest {};

TEST_P(PyTorchChunksTest, GivesTheSameLossesToRounding) {
  ASSERT_NO_FATAL_FAILURE(train_both());
  for (const char* channel : {"loss", "grad_norm"}) {
    const std::vector<double> a = channel_of(ours(), channel), b = channel_of(theirs(), channel);
    ASSERT_EQ(a.size(), 10U);
    ASSERT_EQ(b.size(), 10U);
    for (size_t i = 0; i < a.size(); ++i)
      EXPECT_LE(std::abs(a[i] - b[i]), 1e-12 * b[i])
          << channel << " " << i;  // as other layouts, 2^13 roundings
  }
}

INSTANTIATE_TEST_SUITE_P(DeltaNets, PyTorchChunksTest,
                         testing::Values(Setting{"Chunks", "float64",
                                                 delta_nets("chunked", {{"architecture.delta_chunk", 24}})},
                                         Setting{"OneChunk", "float64",
                                                 delta_nets("chunked", {{"architecture.delta_chunk", 100}})},
                                         Setting{"Documents", "float64",
                                                 with(delta_nets("chunked", packed_documents),
                                                      {{"architecture.delta_chunk", 24}})}),
                         name_of_setting);

/// The largest logits, and how many heads were clipped, too.
class PyTorchQkClipTest : public PyTorchProgramTest {};

TEST_P(PyTorchQkClipTest, ClipsTheSameHeadsBitForBit) {
  expect_same_bits();
  const std::vector<double> heads = channel_of(ours(), "qk_clipped_heads");
  EXPECT_GT(std::ranges::count_if(heads, [](double count) { return count > 0; }), 2);
  for (const char* channel : {"max_attention_logit", "qk_clipped_heads"})
    EXPECT_EQ(channel_of(ours(), channel), channel_of(theirs(), channel)) << channel;
}

const Json ungrouped = with(grouped, {{"architecture.n_kv_heads", 8}, {"lr.base", 0.02}});
const Json clipped = {{"optimizer.qk_clip", 0.5}};

INSTANTIATE_TEST_SUITE_P(
    Heads, PyTorchQkClipTest,
    testing::Values(
        Setting{"Plain", "float32", with(ungrouped, clipped)},
        Setting{"PlainFloat64", "float64", with(ungrouped, clipped)},
        Setting{"SharedKeys", "float32", with(with(grouped, clipped), {{"lr.base", 0.02}})},
        Setting{"Layer", "float32", with(with(ungrouped, clipped), {{"optimizer.qk_clip_scope", "layer"}})},
        Setting{"Documents", "float64", with(with(ungrouped, clipped), packed_documents)},
        Setting{"Muon", "float32",
                with(with(ungrouped, clipped), {{"optimizer.name", "muon"}, {"optimizer.qk_clip", 0.1}})}),
    name_of_setting);

/// The channel mtp_loss too.
class PyTorchMultiTokenTest : public PyTorchProgramTest {};

TEST_P(PyTorchMultiTokenTest, GivesTheSameLossesBitForBit) {
  expect_same_bits();
  const std::vector<double> further = channel_of(ours(), "mtp_loss");
  EXPECT_EQ(further.size(), 10U);
  EXPECT_EQ(further, channel_of(theirs(), "mtp_loss"));
}

Json multi_token(int64_t depth, const Json& changes = Json::object()) {
  return with(with(grouped, {{"architecture.mtp_depth", depth}}), changes);
}

const Json documents = {{"architecture.mtp_depth", 2},
                        {"attention.backend", "dense"},
                        {"attention.documents", {"eos"}},
                        {"data.packing", "stream"},
                        {"data.positions", "document"},
                        {"data.document_tokens", 9},
                        {"data.eos_id", 7}};

INSTANTIATE_TEST_SUITE_P(
    Depths, PyTorchMultiTokenTest,
    testing::Values(
        Setting{"One", "float32", multi_token(1)}, Setting{"Three", "float64", multi_token(3)},
        Setting{"OfMeans", "float32", multi_token(2, {{"loss.normalization", "microbatch_mean"}})},
        Setting{"Scaled", "float64", multi_token(2, {{"loss.normalization", "gradient_scaling"}})},
        Setting{"Tied", "float32", multi_token(1, {{"architecture.tied_embeddings", "on"}})},
        Setting{"Documents", "float32", with(grouped, documents)}),
    name_of_setting);

}  // namespace
}  // namespace parity::reference
