// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Each usual transformation is planted and found, with its name.
#include "tests/harness/checkpoints/checkpoint_fixture.hpp"

namespace parity::checkpoints {
namespace {

using testing::HasSubstr;

using Rules = CheckpointTest;

TEST_F(Rules, EqualFiles_AreIdentical) {
  const CheckpointDifference found = compare(llama(), llama());
  EXPECT_EQ(found.exit_code(), ExitCode::agree);
  EXPECT_EQ(found.conclusion(), "identical: 21 tensors bit for bit");
  EXPECT_TRUE(found.rules().empty());
}

TEST_F(Rules, Prefix_IsARename) {
  Weights actual;
  for (const auto& [name, weight] : llama())
    actual["module." + name] = weight;
  const CheckpointDifference found = compare(llama(), actual);
  EXPECT_EQ(found.exit_code(), ExitCode::agree);
  EXPECT_THAT(found.conclusion(), HasSubstr("identical: 21 tensors"));
}

TEST_F(Rules, TitanNames_ArePermutedRows) {
  const CheckpointDifference found = compare(llama(), titan_llama());
  EXPECT_EQ(found.exit_code(), ExitCode::agree) << found.conclusion();
  const Finding& q = finding(found, "layers.1.attention.wq.weight");
  EXPECT_EQ(q.expected.front().name, "model.layers.1.self_attn.q_proj.weight");
  EXPECT_EQ(q.rule, "rows permuted within heads of 8, halves to pairs (RoPE)");
  EXPECT_EQ(q.verdict, Verdict::equal);
  EXPECT_EQ(finding(compare(titan_llama(), llama()), "layers.1.attention.wk.weight").rule,
            "rows permuted within heads of 8, pairs to halves (RoPE)");
}

TEST_F(Rules, Norms_MatchByNameOnly) {
  const CheckpointDifference found = compare(llama(), titan_llama());
  const Finding& norm = finding(found, "layers.0.ffn_norm.weight");
  EXPECT_EQ(norm.expected.front().name, "model.layers.0.post_attention_layernorm.weight");
  EXPECT_TRUE(norm.by_name_only);
  EXPECT_FALSE(finding(found, "layers.0.attention.wo.weight").by_name_only);
  const Json json = found.to_json();
  size_t by_name = 0;
  for (const Json& tensor : json.at("tensors"))
    by_name += tensor.at("proof") == "name" ? 1 : 0;
  EXPECT_EQ(by_name, 5U);
}

TEST_F(Rules, EqualRows_DoNotShowTheirOrder) {
  const Weight same = concatenated(std::vector<Weight>(16, drawn({1, 32}, 4)));
  const CheckpointDifference found =
      compare({{"model.layers.0.self_attn.k_proj.weight", same}}, {{"layers.0.attention.wk.weight", same}});
  EXPECT_EQ(found.exit_code(), ExitCode::agree);
  EXPECT_TRUE(found.findings.front().by_name_only);
}

TEST_F(Rules, MegatronNames_AreFusedRows) {
  const CheckpointDifference found = compare(llama(), megatron_llama());
  EXPECT_EQ(found.exit_code(), ExitCode::agree) << found.conclusion();
  const Finding& qkv = finding(found, "decoder.layers.0.self_attention.linear_qkv.weight");
  EXPECT_EQ(Finding::names(qkv.expected),
            "model.layers.0.self_attn.q_proj.weight + model.layers.0.self_attn.k_proj.weight + "
            "model.layers.0.self_attn.v_proj.weight");
  EXPECT_EQ(qkv.rule, "rows interleaved in 2 groups");
  EXPECT_EQ(finding(found, "decoder.layers.0.mlp.linear_fc1.weight").rule, "rows concatenated");
  EXPECT_EQ(compare(megatron_llama(), llama()).exit_code(), ExitCode::agree);
}

TEST_F(Rules, MegatronAndTitan_PermuteAndGroup) {
  const CheckpointDifference found = compare(titan_llama(), megatron_llama());
  EXPECT_EQ(found.exit_code(), ExitCode::agree) << found.conclusion();
  EXPECT_EQ(finding(found, "decoder.layers.0.self_attention.linear_qkv.weight").rule,
            "rows interleaved in 2 groups; rows permuted within heads of 8, pairs to halves (RoPE)");
}

TEST_F(Rules, Conv1D_IsTransposed) {
  Weights expected, actual;
  for (const char* part : {"h.0.attn.c_attn", "h.0.mlp.c_fc", "h.0.mlp.c_proj", "h.0.attn.c_proj"}) {
    const bool square = std::string(part) == "h.0.attn.c_proj";
    const Weight weight = drawn({16, square ? 16 : 48}, static_cast<unsigned>(expected.size()));
    expected["transformer." + std::string(part) + ".weight"] = weight;
    actual["transformer." + std::string(part) + ".weight"] = transposed(weight);
  }
  const CheckpointDifference found = compare(expected, actual);
  EXPECT_EQ(found.exit_code(), ExitCode::agree) << found.conclusion();
  EXPECT_EQ(found.count(Verdict::equal), 4U);
  actual["transformer.h.0.attn.c_proj.weight"] = expected["transformer.h.0.attn.c_proj.weight"];
  const CheckpointDifference forgotten = compare(expected, actual);
  EXPECT_EQ(forgotten.exit_code(), ExitCode::differ);
  EXPECT_THAT(finding(forgotten, "transformer.h.0.attn.c_proj.weight").note,
              HasSubstr("it is not transposed, while transformer.h.0."));
}

TEST_F(Rules, Gpt2ToMegatron_IsRegrouped) {
  const Weight q = drawn({16, 16}, 1), k = drawn({16, 16}, 2), v = drawn({16, 16}, 3);
  std::vector<Weight> by_head;
  for (int64_t head = 0; head < 4; ++head)
    for (const Weight* part : {&q, &k, &v})
      by_head.push_back(rows(*part, head * 4, 4));
  const CheckpointDifference found =
      compare({{"transformer.h.0.attn.c_attn.weight", transposed(concatenated({q, k, v}))}},
              {{"decoder.layers.0.self_attention.linear_qkv.weight", concatenated(by_head)}});
  EXPECT_EQ(found.exit_code(), ExitCode::agree) << found.conclusion();
  EXPECT_EQ(found.findings.front().rule, "regrouped by 4 heads, transposed");
}

TEST_F(Rules, TiedOutput_IsTheEmbedding) {
  Weights expected = llama();
  expected["lm_head.weight"] = expected["model.embed_tokens.weight"];
  Weights actual = titan_llama();
  actual.erase("output.weight");
  const CheckpointDifference found = compare(expected, actual);
  EXPECT_EQ(found.exit_code(), ExitCode::agree);
  EXPECT_EQ(finding(found, "lm_head.weight").rule, "tied to model.embed_tokens.weight");
  const CheckpointDifference untied = compare(llama(), actual);
  EXPECT_EQ(untied.exit_code(), ExitCode::differ);
  EXPECT_THAT(finding(untied, "lm_head.weight").note, HasSubstr("not tied"));
}

TEST_F(Rules, CausalMaskOfOneSide_DoesNotCount) {
  const Weights expected = {{"transformer.wte.weight", drawn({3, 3}, 1)}};
  Weights actual = expected;
  actual["transformer.h.0.attn.bias"] = {{1, 1, 3, 3}, {1, 0, 0, 1, 1, 0, 1, 1, 1}};
  const CheckpointDifference found = compare(expected, actual);
  EXPECT_EQ(found.exit_code(), ExitCode::agree) << found.conclusion();
  EXPECT_EQ(compare(actual, expected).exit_code(), ExitCode::agree);
  actual["transformer.h.0.attn.bias"].values.back() = 0.5F;
  EXPECT_EQ(compare(expected, actual).exit_code(), ExitCode::differ) << "not a mask";
  actual.erase("transformer.h.0.attn.bias");
  actual["transformer.h.0.attn.masked_bias"] = {{1}, {-1e4F}};
  EXPECT_EQ(compare(expected, actual).exit_code(), ExitCode::agree);
  actual["transformer.h.0.attn.masked_bias"] = {{1}, {-1}};
  EXPECT_EQ(compare(expected, actual).exit_code(), ExitCode::differ) << "masks nothing";
}

TEST_F(Rules, PaddedVocabulary_IsZeroRows) {
  Weights actual = llama();
  actual["lm_head.weight"] = concatenated({actual["lm_head.weight"], constant({4, 32}, 0)});
  const CheckpointDifference found = compare(llama(), actual);
  EXPECT_EQ(found.exit_code(), ExitCode::agree) << found.conclusion();
  EXPECT_EQ(finding(found, "lm_head.weight").rule, "the actual side with 4 more rows");
}

TEST_F(Rules, StackedExperts_AreSplit) {
  Weights expected, actual;
  std::vector<Weight> gates;
  for (unsigned i = 0; i < 3; ++i) {
    gates.push_back(drawn({24, 16}, i));
    expected["model.layers.5.mlp.experts." + std::to_string(i) + ".gate_proj.weight"] = gates.back();
  }
  actual["layers.5.moe.experts.w1"] = stacked(gates);
  const CheckpointDifference found = compare(expected, actual);
  EXPECT_EQ(found.exit_code(), ExitCode::agree) << found.conclusion();
  EXPECT_EQ(finding(found, "layers.5.moe.experts.w1[2]").expected.front().name,
            "model.layers.5.mlp.experts.2.gate_proj.weight");
  std::swap(gates[0], gates[1]);
  EXPECT_EQ(compare(expected, {{"layers.5.moe.experts.w1", stacked(gates)}}).exit_code(), ExitCode::differ);
}

TEST_F(Rules, FusedExperts_AreTransposedParts) {
  Weights expected, actual;
  std::vector<Weight> fused;
  for (unsigned i = 0; i < 2; ++i) {
    const Weight gate = drawn({24, 16}, i), up = drawn({24, 16}, 10 + i);
    const std::string name = "model.layers.0.mlp.experts." + std::to_string(i);
    expected[name + ".gate_proj.weight"] = gate;
    expected[name + ".up_proj.weight"] = up;
    fused.push_back(transposed(concatenated({gate, up})));
  }
  actual["model.layers.0.feed_forward.experts.gate_up_proj"] = stacked(fused);
  const CheckpointDifference found = compare(expected, actual);
  EXPECT_EQ(found.exit_code(), ExitCode::agree) << found.conclusion();
  EXPECT_EQ(found.findings.front().rule, "rows concatenated, transposed");
}

TEST_F(Rules, NarrowerDtype_IsRounded) {
  const Checkpoint wide = open_checkpoint(write("a.safetensors", llama()));
  const Checkpoint narrow = open_checkpoint(write("b.safetensors", titan_llama(), DType::bfloat16));
  for (const auto& [e, a] : {std::pair(&wide, &narrow), std::pair(&narrow, &wide)}) {
    const CheckpointDifference found = compare_checkpoints(*e, *a, {});
    EXPECT_EQ(found.exit_code(), ExitCode::agree);
    EXPECT_EQ(found.conclusion(), "equal: 21 after rounding to the narrower dtype");
  }
}

TEST_F(Rules, MappedName_IsCompared) {
  Weights actual = llama();
  move(actual, "lm_head.weight", "my.projection");
  for (int64_t i = 0; i < 2; ++i)
    move(actual, "model.layers." + std::to_string(i) + ".self_attn.q_proj.weight",
         "b." + std::to_string(i) + ".query");
  ComparisonOptions options;
  options.renamed =
      parse_name_rules({"lm_head.weight=my.projection", "model.layers.*.self_attn.q_proj.weight=b.*.query"});
  const CheckpointDifference found = compare(llama(), actual, options);
  EXPECT_EQ(found.exit_code(), ExitCode::agree) << found.conclusion();
  EXPECT_EQ(finding(found, "my.projection").expected.front().name, "lm_head.weight");
  options.renamed = parse_name_rules({"lm_head=my", "model.layers.*.self_attn.q_proj.weight=b.*.query"});
  EXPECT_THAT(message_of([&] { compare(llama(), actual, options); }),
              HasSubstr("'lm_head=my' (it names no tensor of the first checkpoint)"));
  options.renamed = parse_name_rules({"lm_head.weight=my.projektion"});
  EXPECT_THAT(message_of([&] { compare(llama(), actual, options); }),
              HasSubstr("it names no tensor of the second checkpoint"));
  EXPECT_THAT(message_of([] { parse_name_rules({"a.*=b"}); }), HasSubstr("different numbers of *"));
  EXPECT_THAT(message_of([] { parse_name_rules({"a"}); }), HasSubstr("OURS=THEIRS"));
}

TEST_F(Rules, UnknownNames_AreFoundByValues) {
  const Weight distinct = drawn({6, 4}, 1), other = drawn({6, 4}, 2);
  const CheckpointDifference found =
      compare({{"alpha", distinct}, {"beta", other}}, {{"x", transposed(other)}, {"y", distinct}});
  EXPECT_EQ(found.exit_code(), ExitCode::agree) << found.conclusion();
  EXPECT_EQ(finding(found, "alpha").actual.front().name, "y");
  EXPECT_EQ(finding(found, "beta").rule, "transposed");
  EXPECT_EQ(finding(found, "alpha").note, "found by its values");
}

TEST_F(Rules, OrderOfRows_DependsOnTheModel) {
  Weights expected = llama(), actual = titan_llama();  // Qwen3: torchtitan rotates halves too
  for (int64_t i = 0; i < 2; ++i) {
    const std::string from = "model.layers." + std::to_string(i) + ".self_attn.";
    const std::string to = "layers." + std::to_string(i) + ".attention.";
    actual[to + "wq.weight"] = expected[from + "q_proj.weight"];
    actual[to + "wk.weight"] = expected[from + "k_proj.weight"];
  }
  EXPECT_EQ(compare(expected, actual).exit_code(), ExitCode::differ);
  for (int64_t i = 0; i < 2; ++i)
    expected["model.layers." + std::to_string(i) + ".self_attn.q_norm.weight"] =
        actual["layers." + std::to_string(i) + ".attention.q_norm.weight"] = drawn({8}, 90);
  EXPECT_EQ(compare(expected, actual).exit_code(), ExitCode::agree);
}

TEST_F(Rules, ScalarsOfPermutedWeights_HaveNoRows) {
  Weights expected, actual;
  for (const char* state : {"step", "param_group"}) {
    expected["optimizer.state.model.layers.0.self_attn.q_proj.weight." + std::string(state)] =
        constant({}, 3);
    actual["optimizer.state.layers.0.attention.wq.weight." + std::string(state)] = constant({}, 3);
  }
  EXPECT_EQ(compare(expected, actual).exit_code(), ExitCode::agree);
  actual["optimizer.state.layers.0.attention.wq.weight.param_group"] = constant({}, 1);
  EXPECT_EQ(compare(expected, actual).exit_code(), ExitCode::differ);
}

}  // namespace
}  // namespace parity::checkpoints
