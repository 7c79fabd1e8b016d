// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// What a cast to a narrower dtype may lose, and what it may not.
#include <cmath>
#include <limits>

#include "tests/harness/checkpoints/checkpoint_fixture.hpp"

namespace parity::checkpoints {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using Rounding = CheckpointTest;

Weight scaled(float factor) {
  Weight weight = drawn({64, 32}, 1);
  for (float& value : weight.values)
    value *= factor;
  return weight;
}

TEST_F(Rounding, Weights_AgreeInBothNarrowTypes) {
  for (const DType narrow : {DType::float16, DType::bfloat16}) {
    const CheckpointDifference found = compare_rounded({{"a.weight", scaled(0.02F)}}, narrow);
    EXPECT_EQ(found.exit_code(), ExitCode::agree) << found.conclusion();
    EXPECT_EQ(found.findings.front().verdict, Verdict::rounded);
    EXPECT_TRUE(found.notes.empty());
  }
}

TEST_F(Rounding, Overflow_IsDifferent) {
  Weights weights = {{"a.weight", scaled(1)}};
  weights["a.weight"].values[7] = 70000;
  weights["a.weight"].values[40] = -1e5F;
  const CheckpointDifference found = compare_rounded(weights, DType::float16);
  EXPECT_EQ(found.exit_code(), ExitCode::differ);
  const Finding& finding = found.findings.front();
  EXPECT_EQ(finding.gap.differing, 2);
  EXPECT_EQ(finding.place(), "a.weight[0, 7]");
  EXPECT_EQ(finding.gap.worst_expected, 70000);
  EXPECT_TRUE(std::isinf(finding.gap.worst_actual));
  EXPECT_TRUE(std::isinf(finding.gap.relative_l2()));
  EXPECT_THAT(finding.note, HasSubstr("2 of 2048 elements are finite, and infinite in float16"));
  EXPECT_EQ(compare_rounded(weights, DType::bfloat16).exit_code(), ExitCode::agree);
  weights["a.weight"].values[7] = 65504;
  weights["a.weight"].values[40] = -65519;  // the largest that rounds to -65504
  EXPECT_EQ(compare_rounded(weights, DType::float16).exit_code(), ExitCode::agree);
  weights["a.weight"].values[40] = -65520;
  EXPECT_EQ(compare_rounded(weights, DType::float16).exit_code(), ExitCode::differ);
}

TEST_F(Rounding, OverflowUnderARule_IsDifferent) {
  Weights expected = llama(), actual = titan_llama();
  expected["model.layers.0.self_attn.q_proj.weight"].values[0] = 7e4F;
  actual["layers.0.attention.wq.weight"].values[0] = 7e4F;
  const Checkpoint wide = open_checkpoint(write("a.safetensors", expected));
  const Checkpoint narrow = open_checkpoint(write("b.safetensors", actual, DType::float16));
  for (const auto& [e, a] : {std::pair(&wide, &narrow), std::pair(&narrow, &wide)}) {
    const CheckpointDifference found = compare_checkpoints(*e, *a, {});
    EXPECT_EQ(found.exit_code(), ExitCode::differ);
    EXPECT_EQ(found.count(Verdict::different), 1U) << found.conclusion();
  }
}

TEST_F(Rounding, InfinityOfBothSides_Agrees) {
  Weights weights = {{"a.weight", scaled(1)}};
  weights["a.weight"].values[7] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(compare_rounded(weights, DType::float16).exit_code(), ExitCode::agree);
}

TEST_F(Rounding, TensorThatBecomesZero_IsDifferent) {
  const CheckpointDifference found = compare_rounded({{"a.weight", scaled(1e-9F)}}, DType::float16);
  EXPECT_EQ(found.exit_code(), ExitCode::differ);
  EXPECT_THAT(found.findings.front().note,
              AllOf(HasSubstr("2048 of 2048 elements are not zero, and zero in float16"),
                    HasSubstr("1 of the norm")));
  EXPECT_EQ(compare_rounded({{"a.weight", scaled(1e-9F)}}, DType::bfloat16).exit_code(), ExitCode::agree);
  EXPECT_EQ(compare_rounded({{"a.weight", constant({4}, 1e-9F)}}, DType::float16).exit_code(),
            ExitCode::differ);
  EXPECT_EQ(compare_rounded({{"a.weight", constant({4}, 0)}}, DType::float16).exit_code(), ExitCode::agree);
}

TEST_F(Rounding, FewTinyElements_AreNoted) {
  Weights weights = {{"a.weight", scaled(1)}};
  for (size_t i = 0; i < 3; ++i)
    weights["a.weight"].values[i] = 1e-9F;
  const CheckpointDifference found = compare_rounded(weights, DType::float16);
  EXPECT_EQ(found.exit_code(), ExitCode::agree) << found.conclusion();
  EXPECT_THAT(found.notes, testing::ElementsAre(HasSubstr("3 elements of 1 tensor are not zero")));
}

TEST_F(Rounding, Underflow_IsLimitedByRoundoff) {
  Weights weights = {{"a.weight", constant({2}, 1e-8F)}};  // which float16 makes zero
  weights["a.weight"].values[0] = 2.2e-5F;                 // 1e-8 is 4.5e-4 of it, and 2^-11 is 4.9e-4
  EXPECT_EQ(compare_rounded(weights, DType::float16).exit_code(), ExitCode::agree);
  weights["a.weight"].values[0] = 1.8e-5F;
  EXPECT_EQ(compare_rounded(weights, DType::float16).exit_code(), ExitCode::differ);
}

}  // namespace
}  // namespace parity::checkpoints
