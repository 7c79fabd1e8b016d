// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Defects of converted and trained checkpoints are planted, and none passes.
#include <limits>

#include "tests/harness/checkpoints/checkpoint_fixture.hpp"

namespace parity::checkpoints {
namespace {

using testing::HasSubstr;

class Defects : public CheckpointTest {
 protected:
  /// Expects one pair that differs, and returns its note.
  std::string note_of(const CheckpointDifference& found, const std::string& name) const {
    EXPECT_EQ(found.exit_code(), ExitCode::differ) << name;
    EXPECT_EQ(finding(found, name).verdict, Verdict::different) << name;
    return finding(found, name).note;
  }
};

TEST_F(Defects, OneElement_IsNamed) {
  Weights actual = titan_llama();
  actual["layers.1.feed_forward.w2.weight"].values[3 * 48 + 5] += 0.25F;
  const CheckpointDifference found = compare(llama(), actual);
  EXPECT_EQ(note_of(found, "layers.1.feed_forward.w2.weight"), "");
  const Finding& down = finding(found, "layers.1.feed_forward.w2.weight");
  EXPECT_EQ(down.gap.differing, 1);
  EXPECT_EQ(down.place(), "model.layers.1.mlp.down_proj.weight[3, 5]");
  EXPECT_EQ(found.count(Verdict::different), 1U);
  EXPECT_EQ(found.modules().front().worst, "model.layers.1.mlp.down_proj.weight");
}

TEST_F(Defects, OneElementOfPermutedRows_IsNamed) {
  Weights actual = titan_llama();
  actual["layers.0.attention.wq.weight"].values[7] += 0.5F;
  const CheckpointDifference found = compare(llama(), actual);
  EXPECT_THAT(note_of(found, "layers.0.attention.wq.weight"),
              HasSubstr("closest: rows permuted within heads of 8"));
  EXPECT_EQ(finding(found, "layers.0.attention.wq.weight").gap.differing, 1);
  EXPECT_EQ(finding(found, "layers.0.attention.wq.weight").place(),
            "model.layers.0.self_attn.q_proj.weight[0, 7]");
}

TEST_F(Defects, TransposedSquare_IsDifferent) {
  for (Weights actual : {llama(), titan_llama()}) {
    const std::string name = actual.contains("lm_head.weight") ? "model.layers.1.self_attn.o_proj.weight"
                                                               : "layers.1.attention.wo.weight";
    actual[name] = transposed(actual[name]);
    EXPECT_EQ(note_of(compare(llama(), actual), name), "equal after: transposed");
  }
}

TEST_F(Defects, ViewInsteadOfTranspose_IsDifferent) {
  Weights actual = llama();
  actual["model.layers.0.mlp.up_proj.weight"].shape = {32, 48};
  EXPECT_THAT(note_of(compare(llama(), actual), "model.layers.0.mlp.up_proj.weight"),
              HasSubstr("a transposition is missing"));
  Weights merged = llama();
  for (const char* block : {"0", "1"})
    merged["model.layers." + std::string(block) + ".mlp.up_proj.weight"].shape = {6, 8, 32};
  EXPECT_EQ(compare(llama(), merged).exit_code(), ExitCode::agree);
}

TEST_F(Defects, MissingPermutation_IsDifferent) {
  Weights actual = titan_llama();
  actual["layers.1.attention.wq.weight"] = llama()["model.layers.1.self_attn.q_proj.weight"];
  EXPECT_THAT(note_of(compare(llama(), actual), "layers.1.attention.wq.weight"),
              HasSubstr("the permutation for RoPE is missing"));
}

TEST_F(Defects, InversePermutation_IsDifferent) {
  Weights actual = titan_llama();
  Weight& q = actual["layers.1.attention.wq.weight"];
  q = llama()["model.layers.1.self_attn.q_proj.weight"];
  for (int i = 0; i < 2; ++i)  // twice to pairs is to halves, for heads of 8
    q = in_pairs(q, 8);
  EXPECT_THAT(note_of(compare(llama(), actual), "layers.1.attention.wq.weight"),
              HasSubstr("pairs to halves (RoPE); the sides order"));
}

TEST_F(Defects, OtherHeadSize_IsDifferent) {
  Weights actual = titan_llama();
  for (const char* block : {"0", "1"})
    actual["layers." + std::string(block) + ".attention.wk.weight"] =
        in_pairs(llama()["model.layers." + std::string(block) + ".self_attn.k_proj.weight"], 16);
  const CheckpointDifference found = compare(llama(), actual);
  EXPECT_EQ(found.exit_code(), ExitCode::differ);
  EXPECT_EQ(found.count(Verdict::different), 2U);
}

TEST_F(Defects, HeadSizeOfTheConfig_Counts) {
  Weights actual = titan_llama();
  for (const auto& [own, other] : {std::pair("wq", "q_proj"), std::pair("wk", "k_proj")})
    for (const char* block : {"0", "1"})
      actual["layers." + std::string(block) + ".attention." + own + ".weight"] =
          in_pairs(llama()["model.layers." + std::string(block) + ".self_attn." + other + ".weight"], 16);
  EXPECT_EQ(compare(llama(), actual).exit_code(), ExitCode::agree);  // nothing else says the size
  write_file(folder / "config.json", R"({"hidden_size": 32, "num_attention_heads": 4})");
  const CheckpointDifference found = compare(llama(), actual);
  EXPECT_THAT(note_of(found, "layers.0.attention.wq.weight"), HasSubstr("config.json says heads of 8"));
  for (const char* text : {"", "[", "[1]", R"({"head_dim": "x"})", R"({"text_config": 3})"}) {
    write_file(folder / "config.json", text);
    EXPECT_EQ(compare(llama(), actual).exit_code(), ExitCode::agree) << text;
  }
}

TEST_F(Defects, SurplusPermutation_IsDifferent) {
  Weights actual = llama();
  const std::string name = "model.layers.1.self_attn.k_proj.weight";
  actual[name] = in_pairs(actual[name], 8);
  EXPECT_THAT(note_of(compare(llama(), actual), name), HasSubstr("order the rows of heads differently"));
}

TEST_F(Defects, SwappedTensors_AreNamed) {
  Weights actual = llama();
  std::swap(actual["model.layers.0.self_attn.k_proj.weight"],
            actual["model.layers.0.self_attn.v_proj.weight"]);
  const CheckpointDifference found = compare(llama(), actual);
  EXPECT_EQ(note_of(found, "model.layers.0.self_attn.k_proj.weight"),
            "its bits are those of model.layers.0.self_attn.v_proj.weight on the other side");
  EXPECT_EQ(found.count(Verdict::different), 2U);
}

TEST_F(Defects, SwappedParts_AreDifferent) {
  Weights actual = megatron_llama();
  Weight& fused = actual["decoder.layers.0.mlp.linear_fc1.weight"];
  fused = concatenated({rows(fused, 48, 48), rows(fused, 0, 48)});
  const CheckpointDifference found = compare(llama(), actual);
  EXPECT_EQ(found.exit_code(), ExitCode::differ);
  EXPECT_EQ(found.count(Verdict::different), 1U);
}

TEST_F(Defects, UngroupedQkv_IsDifferent) {
  Weights actual = megatron_llama();
  const Weights hf = llama();
  actual["decoder.layers.0.self_attention.linear_qkv.weight"] = concatenated(
      {hf.at("model.layers.0.self_attn.q_proj.weight"), hf.at("model.layers.0.self_attn.k_proj.weight"),
       hf.at("model.layers.0.self_attn.v_proj.weight")});
  EXPECT_THAT(note_of(compare(hf, actual), "decoder.layers.0.self_attention.linear_qkv.weight"),
              HasSubstr("grouped by key head"));
}

TEST_F(Defects, PaddingWithGarbage_IsDifferent) {
  Weights actual = llama();
  actual["lm_head.weight"] = concatenated({actual["lm_head.weight"], drawn({4, 32}, 77)});
  EXPECT_EQ(note_of(compare(llama(), actual), "lm_head.weight"),
            "the first rows are equal, and the 4 more rows are not zero");
  Weights longer = llama();
  longer["model.layers.0.mlp.up_proj.weight"] =
      concatenated({longer["model.layers.0.mlp.up_proj.weight"], constant({4, 32}, 0)});
  EXPECT_THAT(note_of(compare(llama(), longer), "model.layers.0.mlp.up_proj.weight"),
              HasSubstr("only a vocabulary is padded"));
}

TEST_F(Defects, OneSidedTensor_IsDifferent) {
  Weights actual = llama();
  actual.erase("model.layers.1.input_layernorm.weight");
  for (const CheckpointDifference& found : {compare(llama(), actual), compare(actual, llama())}) {
    EXPECT_EQ(found.exit_code(), ExitCode::differ);
    EXPECT_EQ(found.count(Verdict::one_sided), 1U);
    EXPECT_THAT(found.conclusion(), HasSubstr("1 tensor on one side only"));
  }
}

TEST_F(Defects, ConstantTensors_AreNotFoundByValues) {
  const CheckpointDifference found = compare({{"a", drawn({4}, 1)}, {"one", constant({8}, 1)}},
                                             {{"a", drawn({4}, 1)}, {"uno", constant({8}, 1)}});
  EXPECT_EQ(found.exit_code(), ExitCode::differ);
  EXPECT_EQ(found.count(Verdict::one_sided), 2U);
  EXPECT_THAT(finding(found, "one").note, HasSubstr("as those of uno are, which proves nothing"));
}

TEST_F(Defects, AmbiguousValues_AreNotPaired) {
  const Weight twice = drawn({8}, 1);
  const CheckpointDifference found =
      compare({{"one", twice}, {"other", twice}}, {{"x", twice}, {"y", twice}});
  EXPECT_EQ(found.exit_code(), ExitCode::differ);
  EXPECT_EQ(found.count(Verdict::one_sided), 4U);
  EXPECT_THAT(finding(found, "one").note, HasSubstr("several tensors have them; --map pairs them"));
}

TEST_F(Defects, OtherRuleInOneBlock_IsDifferent) {
  Weights expected, actual;
  for (unsigned i = 0; i < 4; ++i) {
    const std::string name = "blocks." + std::to_string(i) + ".mixer.weight";
    expected[name] = drawn({6, 4}, i);
    actual["model." + name] = i == 2 ? expected[name] : transposed(expected[name]);
  }
  const CheckpointDifference found = compare(expected, actual);
  EXPECT_EQ(note_of(found, "model.blocks.2.mixer.weight"),
            "equal as it is, but 3 of the same kind in other blocks are equal after: transposed");
}

TEST_F(Defects, WrongRounding_IsDifferent) {
  Weights truncated = llama();
  for (auto& [name, weight] : truncated)
    for (float& value : weight.values)
      value = std::bit_cast<float>(std::bit_cast<uint32_t>(value) & 0xFFFF0000U);
  const Checkpoint wide = open_checkpoint(write("a.safetensors", llama()));
  const Checkpoint narrow = open_checkpoint(write("b.safetensors", truncated, DType::bfloat16));
  const CheckpointDifference found = compare_checkpoints(wide, narrow, {});
  EXPECT_EQ(found.exit_code(), ExitCode::differ);
  EXPECT_EQ(finding(found, "lm_head.weight").gap.max_ulp, 1U);
}

TEST_F(Defects, Nan_AgreesWithNothing) {
  Weights both = llama();
  both["lm_head.weight"].values[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(note_of(compare(both, both), "lm_head.weight"), HasSubstr("--equal-nan"));
  ComparisonOptions options;
  options.policy.nan = measure::DifferencePolicy::Nan::equal_if_both;
  EXPECT_EQ(compare(both, both, options).exit_code(), ExitCode::agree);
  EXPECT_THAT(compare(both, both, options).conclusion(), HasSubstr("equal: 21 tensors bit for bit, where"));
}

TEST_F(Defects, Empty_IsMissing) {
  EXPECT_EQ(compare({}, llama()).exit_code(), ExitCode::missing);
  EXPECT_EQ(compare({}, {}).exit_code(), ExitCode::missing);
}

TEST_F(Defects, Globs_LimitTheComparison) {
  Weights actual = titan_llama();
  actual["layers.1.feed_forward.w2.weight"].values[5] = 7;
  ComparisonOptions options;
  options.globs = {"*.attention.*"};
  EXPECT_EQ(compare(llama(), actual, options).findings.size(), 8U);
  EXPECT_EQ(compare(llama(), actual, options).exit_code(), ExitCode::agree);
  options.globs = {"layers.1.feed_forward.w?.weight"};
  EXPECT_EQ(compare(llama(), actual, options).exit_code(), ExitCode::differ);
  options.globs = {"nothing"};
  EXPECT_THAT(message_of([&] { compare(llama(), actual, options); }), HasSubstr("no name matches"));
}

TEST_F(Defects, StepCounters_TellTheDistance) {
  Weights expected = llama(), actual = llama();
  for (const char* name : {"a", "b"}) {
    expected["optimizer.state." + std::string(name) + ".step"] = constant({}, 100);
    actual["optimizer.state." + std::string(name) + ".step"] = constant({}, 105);
  }
  EXPECT_EQ(compare(expected, actual).steps.text(),
            "all 2 step counters are 5 updates further in the second checkpoint");
  EXPECT_EQ(compare(actual, expected).steps.text(),
            "all 2 step counters are 5 updates back in the second checkpoint");
  EXPECT_EQ(compare(expected, expected).steps.text(), "");
  actual["optimizer.state.a.step"] = constant({}, 107);
  EXPECT_EQ(compare(expected, actual).steps.text(), "all 2 step counters differ, by 5 to 7 updates");
}

TEST_F(Defects, Moments_FollowTheRulesOfWeights) {
  Weights expected, actual;
  const Weight moment = drawn({16, 16}, 8);
  expected["optimizer.state.model.layers.0.self_attn.q_proj.weight.exp_avg"] = moment;
  actual["optimizer.state.layers.0.attention.wq.weight.exp_avg"] = in_pairs(moment, 4);
  const CheckpointDifference found = compare(expected, actual);
  EXPECT_EQ(found.exit_code(), ExitCode::agree) << found.conclusion();
  EXPECT_THAT(found.findings.front().rule, HasSubstr("heads of 4, halves to pairs"));
}

}  // namespace
}  // namespace parity::checkpoints
