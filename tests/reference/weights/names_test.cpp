// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/weights/names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace parity::reference {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Names = std::vector<std::string>;

/// Returns the saved names of one weight of block 7.
NameRule rule_of(const std::string& part, WeightNames names, const ModelDimensions& dimensions = {},
                 const std::string& model = "llama3.debug") {
  const NameTable table = name_table(model, dimensions, {{"layers.7." + part, {2, 3, 4}}}, names);
  return table.rules.empty() ? NameRule{} : table.rules.front();
}

Names saved_in(WeightNames names, const std::string& part, const ModelDimensions& dimensions = {},
               const std::string& model = "llama3.debug") {
  return rule_of(part, names, dimensions, model).saved;
}

Names hugging_face(const std::string& part, const ModelDimensions& dimensions = {},
                   const std::string& model = "llama3.debug") {
  return saved_in(WeightNames::hugging_face, part, dimensions, model);
}

Names titan_2026(const std::string& part, const ModelDimensions& dimensions = {}) {
  return saved_in(WeightNames::torchtitan_2026, part, dimensions);
}

ModelDimensions latent() {
  ModelDimensions result;
  result.latent.kv_rank = 4;
  return result;
}

TEST(NamesTest, OwnNamesAreThoseOfTorchtitanUntil2026) {
  for (const char* part :
       {"attention.wq.weight", "moe.experts.w1", "moe.expert_bias", "feed_forward.w2.weight"})
    EXPECT_THAT(saved_in(WeightNames::torchtitan, part), ElementsAre("layers.7." + std::string(part)));
}

TEST(NamesTest, Torchtitan2026_NamesProjectionsAndExperts) {
  EXPECT_THAT(titan_2026("attention.wk.weight"), ElementsAre("layers.7.attention.qkv_linear.wk.weight"));
  EXPECT_THAT(titan_2026("attention.wo.weight"), ElementsAre("layers.7.attention.wo.weight"));
  EXPECT_THAT(titan_2026("moe.experts.w2"), ElementsAre("layers.7.moe.routed_experts.inner_experts.w2_EDF"));
  EXPECT_THAT(titan_2026("moe.expert_bias"), ElementsAre("layers.7.moe.expert_bias_E"));
  EXPECT_THAT(titan_2026("attention.wq.weight", latent()), ElementsAre("layers.7.attention.wq.weight"));
  const NameTable table =
      name_table("llama3.debug", {}, {{"output.weight", {5, 4}}}, WeightNames::torchtitan_2026);
  EXPECT_THAT(table.rules.at(0).saved, ElementsAre("lm_head.weight"));
}

TEST(NamesTest, FusedProjectionsAreOneRule) {
  const NameTable table = name_table("llama3.debug", {},
                                     {{"layers.0.attention.wq.weight", {8, 4}},
                                      {"layers.0.attention.wk.weight", {4, 4}},
                                      {"layers.0.attention.wv.weight", {4, 4}},
                                      {"layers.0.attention.wo.weight", {4, 8}}},
                                     WeightNames::torchtitan_2026_fused);
  ASSERT_EQ(table.rules.size(), 2U);
  EXPECT_THAT(table.rules[0].own, ElementsAre("layers.0.attention.wq.weight", "layers.0.attention.wk.weight",
                                              "layers.0.attention.wv.weight"));
  EXPECT_THAT(table.rules[0].saved, ElementsAre("layers.0.attention.qkv_linear.wqkv.weight"));
  EXPECT_EQ(table.rules[0].conversion, Conversion::qkv);
}

TEST(NamesTest, AModelWithOneMatrixHasThreeNamesOrOneInFiles) {
  const NameRule rule = rule_of("attention.wqkv.weight", WeightNames::hugging_face);
  EXPECT_THAT(rule.own, ElementsAre("layers.7.attention.wqkv.weight"));
  EXPECT_THAT(rule.saved,
              ElementsAre("model.layers.7.self_attn.q_proj.weight", "model.layers.7.self_attn.k_proj.weight",
                          "model.layers.7.self_attn.v_proj.weight"));
  EXPECT_EQ(rule.conversion, Conversion::qkv);
  EXPECT_EQ(rule.rows, RowOrder::saved_halves);
  EXPECT_THAT(titan_2026("attention.wqkv.weight"), testing::SizeIs(3));
  EXPECT_THAT(saved_in(WeightNames::torchtitan_2026_fused, "attention.wqkv.weight"),
              ElementsAre("layers.7.attention.qkv_linear.wqkv.weight"));
}

TEST(NamesTest, HuggingFacesLlamaHasRowsForHalves) {
  const NameRule rule = rule_of("attention.wq.weight", WeightNames::hugging_face);
  EXPECT_THAT(rule.saved, ElementsAre("model.layers.7.self_attn.q_proj.weight"));
  EXPECT_EQ(rule.rows, RowOrder::saved_halves);
  EXPECT_EQ(rule_of("attention.wk.weight", WeightNames::hugging_face).rows, RowOrder::saved_halves);
  for (const char* part : {"attention.wv.weight", "attention.wo.weight", "feed_forward.w1.weight"})
    EXPECT_EQ(rule_of(part, WeightNames::hugging_face).rows, RowOrder::same) << part;
  EXPECT_THAT(hugging_face("attention.wv.weight"), ElementsAre("model.layers.7.self_attn.v_proj.weight"));
  EXPECT_THAT(hugging_face("feed_forward.w3.weight"), ElementsAre("model.layers.7.mlp.up_proj.weight"));
  EXPECT_THAT(hugging_face("ffn_norm.weight"), ElementsAre("model.layers.7.post_attention_layernorm.weight"));
}

TEST(NamesTest, AModelThatTurnsHalvesTakesThemAsTheyAre) {
  ModelDimensions halves;
  halves.rope = Rope::rotate_half;
  for (const char* part : {"attention.wq.weight", "attention.wk.weight", "attention.q_norm.weight"})
    EXPECT_EQ(rule_of(part, WeightNames::hugging_face, halves).rows, RowOrder::same) << part;
  // For a file with torchtitan's rows, rope_weights decides whether they are permuted.
  EXPECT_EQ(rule_of("attention.wq.weight", WeightNames::torchtitan, halves).rows, RowOrder::same);
  halves.rope_weights = RopeWeights::permuted;
  EXPECT_EQ(rule_of("attention.wq.weight", WeightNames::torchtitan, halves).rows, RowOrder::saved_pairs);
  EXPECT_EQ(rule_of("attention.wq.weight", WeightNames::torchtitan_2026_fused, halves).rows,
            RowOrder::saved_pairs);
  EXPECT_EQ(rule_of("attention.wq.weight", WeightNames::hugging_face, halves).rows, RowOrder::same);
}

TEST(NamesTest, HuggingFaceHasANameForEachExpert) {
  const NameRule rule = rule_of("moe.experts.w1", WeightNames::hugging_face);
  EXPECT_THAT(rule.saved, ElementsAre("model.layers.7.mlp.experts.0.gate_proj.weight",
                                      "model.layers.7.mlp.experts.1.gate_proj.weight"));
  EXPECT_EQ(rule.conversion, Conversion::unstacked);
  EXPECT_THAT(hugging_face("moe.router.gate.weight"), ElementsAre("model.layers.7.mlp.gate.weight"));
}

TEST(NamesTest, Qwen3ExpertBiases_AreAbsentInHuggingFace) {
  const NameTable table =
      name_table("qwen3.debug_moe", {}, {{"layers.1.moe.expert_bias", {4}}}, WeightNames::hugging_face);
  EXPECT_THAT(table.rules, IsEmpty());
  EXPECT_THAT(table.unsaved, ElementsAre("layers.1.moe.expert_bias"));
}

TEST(NamesTest, DeepSeekTurnsPairsInItsFilesToo) {
  const NameRule rule = rule_of("attention.wq_b.weight", WeightNames::hugging_face, latent());
  EXPECT_THAT(rule.saved, ElementsAre("model.layers.7.self_attn.q_b_proj.weight"));
  EXPECT_EQ(rule.rows, RowOrder::same);
  EXPECT_EQ(rule_of("attention.wq.weight", WeightNames::hugging_face, latent()).rows, RowOrder::same);
  EXPECT_THAT(hugging_face("attention.q_norm.weight", latent()),
              ElementsAre("model.layers.7.self_attn.q_a_layernorm.weight"));
  EXPECT_THAT(hugging_face("attention.wkv_a.weight", latent()),
              ElementsAre("model.layers.7.self_attn.kv_a_proj_with_mqa.weight"));
  EXPECT_THAT(hugging_face("moe.expert_bias", latent()),
              ElementsAre("model.layers.7.mlp.gate.e_score_correction_bias"));
  EXPECT_THAT(hugging_face("moe.shared_experts.w2.weight", latent()),
              ElementsAre("model.layers.7.mlp.shared_experts.down_proj.weight"));
}

TEST(NamesTest, Llama4HasGateAndUpInOneMatrixAndTurnsPairs) {
  const std::string in = "language_model.model.layers.7.";
  const NameTable table = name_table("llama4.debug", {},
                                     {{"layers.7.moe.experts.w1", {2, 3, 4}},
                                      {"layers.7.moe.experts.w2", {2, 4, 3}},
                                      {"layers.7.moe.experts.w3", {2, 3, 4}}},
                                     WeightNames::hugging_face);
  ASSERT_EQ(table.rules.size(), 2U);
  EXPECT_THAT(table.rules[0].own, ElementsAre("layers.7.moe.experts.w1", "layers.7.moe.experts.w3"));
  EXPECT_THAT(table.rules[0].saved, ElementsAre(in + "feed_forward.experts.gate_up_proj"));
  EXPECT_EQ(table.rules[0].conversion, Conversion::gate_up);
  EXPECT_THAT(table.rules[1].saved, ElementsAre(in + "feed_forward.experts.down_proj"));
  EXPECT_EQ(table.rules[1].conversion, Conversion::transposed);
  const std::string model = "llama4.debug";
  EXPECT_THAT(hugging_face("moe.shared_experts.w1.weight", {}, model),
              ElementsAre(in + "feed_forward.shared_expert.gate_proj.weight"));
  EXPECT_THAT(hugging_face("attention.wq.weight", {}, model), ElementsAre(in + "self_attn.q_proj.weight"));
  EXPECT_EQ(rule_of("attention.wq.weight", WeightNames::hugging_face, {}, model).rows, RowOrder::same);
  EXPECT_THAT(hugging_face("moe.expert_bias", {}, model), IsEmpty());
  EXPECT_THAT(saved_in(WeightNames::hugging_face_text, "moe.router.gate.weight", {}, model),
              ElementsAre("model.layers.7.feed_forward.router.weight"));
  EXPECT_THAT(saved_in(WeightNames::hugging_face_text, "moe.experts.w2", {}, model),
              ElementsAre("model.layers.7.feed_forward.experts.down_proj"));
  EXPECT_TRUE(table.forgets("vision_model.patch.weight"));
  EXPECT_FALSE(table.forgets("vision_models"));
  EXPECT_FALSE(
      name_table("llama3.debug", {}, {}, WeightNames::hugging_face).forgets("vision_model.patch.weight"));
}

TEST(NamesTest, ATiedModelsOutputMayBeInTheFile) {
  ModelDimensions tied;
  tied.tied = true;
  tied.n_layers = 2;
  EXPECT_EQ(name_table("qwen3.debug", tied, {}, WeightNames::hugging_face).tied_output, "lm_head.weight");
  EXPECT_EQ(name_table("qwen3.debug", tied, {}, WeightNames::torchtitan).tied_output, "output.weight");
  EXPECT_EQ(name_table("llama3.debug", {}, {}, WeightNames::torchtitan).tied_output, "");
  EXPECT_FALSE(name_table("qwen3.debug", tied, {}, WeightNames::hugging_face)
                   .forgets("model.layers.1.self_attn.rotary_emb.inv_freq.scale"));
  EXPECT_THAT(name_table("qwen3.debug", tied, {}, WeightNames::hugging_face).forgotten,
              ElementsAre("model.layers.0.self_attn.rotary_emb.inv_freq",
                          "model.layers.1.self_attn.rotary_emb.inv_freq"));
}

TEST(NamesTest, AWeightThatTheTableDoesNotKnowKeepsItsNameOrIsUnnamed) {
  const auto table_of = [](WeightNames names) {
    return name_table("llama3.debug", {}, {{"layers.0.new.weight", {1}}}, names);
  };
  EXPECT_THAT(table_of(WeightNames::torchtitan).unnamed, testing::IsEmpty());
  ASSERT_EQ(table_of(WeightNames::torchtitan).rules.size(), 1U);
  EXPECT_THAT(table_of(WeightNames::torchtitan).rules.front().saved, ElementsAre("layers.0.new.weight"));
  EXPECT_THAT(table_of(WeightNames::hugging_face).unnamed, ElementsAre("layers.0.new.weight"));
}

}  // namespace
}  // namespace parity::reference
