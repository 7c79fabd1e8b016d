// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/operators/judge/tensor_claim.hpp"

#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "harness/operators/judge/ulp.hpp"
#include "harness/operators/problem/values.hpp"

namespace parity::operators {
namespace {

TEST(UlpTest, SpacingOfEachDtype) {
  EXPECT_EQ(ulp_at(DType::float32, 1), 0x1p-23);
  EXPECT_EQ(ulp_at(DType::float32, 1.999), 0x1p-23);
  EXPECT_EQ(ulp_at(DType::float32, 2), 0x1p-22);
  EXPECT_EQ(ulp_at(DType::bfloat16, -1), 0x1p-7);
  EXPECT_EQ(ulp_at(DType::float16, 0), 0x1p-24);
  EXPECT_EQ(ulp_at(DType::float32, 0x1p-140), 0x1p-149);
  EXPECT_TRUE(std::isnan(ulp_at(DType::float32, INFINITY)));
}

TEST(UlpErrorsTest, CountsTheLowPart) {
  const Values exact{DType::float64, {3}, {1, 2, 4}, {0x1p-25, 0, 0}};
  const Values values{DType::float32, {3}, {1, 2, 4 + 0x1p-19}};
  const UlpErrors errors = ulp_errors(values, exact, DType::float32);
  EXPECT_EQ(errors.largest, 4);
  EXPECT_EQ(errors.worst, 2U);
  EXPECT_DOUBLE_EQ(errors.mean, (0.25 + 0 + 4) / 3);
  EXPECT_EQ(errors.histogram[0], 1);
  EXPECT_EQ(errors.histogram[1], 1);
  EXPECT_EQ(errors.histogram[4], 1) << "up to 4";
}

TEST(UlpErrorsTest, InfinityIsFarFromNumbers) {
  const Values exact{DType::float64, {2}, {1, INFINITY}};
  EXPECT_EQ(ulp_errors({DType::float32, {2}, {INFINITY, INFINITY}}, exact, DType::float32).largest, INFINITY);
  EXPECT_EQ(ulp_errors({DType::float32, {2}, {1, INFINITY}}, exact, DType::float32).largest, 0);
  EXPECT_EQ(ulp_errors({DType::float32, {2}, {NAN, INFINITY}}, exact, DType::float32).largest, INFINITY);
}

TEST(UlpErrorsTest, ExactZero_CountsInUnitsOfTheLargestValue) {
  const Values exact{DType::float64, {3}, {0, -1, 2}}, zeros{DType::float64, {3}, {0, 0, 0}};
  const UlpErrors errors = ulp_errors({DType::float32, {3}, {0x1p-20, -1, 2}}, exact, DType::float32);
  EXPECT_EQ(errors.largest, 4);
  EXPECT_EQ(errors.worst, 0U);
  EXPECT_EQ(ulp_errors({DType::float32, {3}, {0, 0x1p-22, -0.0}}, zeros, DType::float32).largest, 2);
  EXPECT_EQ(ulp_errors({DType::float32, {3}, {NAN, 0, 0}}, zeros, DType::float32).largest, INFINITY);
}

TEST(TensorClaimTest, ErrorAtAnExactZero_IsSaidToBeOne) {
  const Values exact{DType::float64, {2}, {0, 1}}, b{DType::float32, {2}, {0x1p-10, 1}};
  compare::Check check;
  check.relation = compare::Relation::accurate;
  check.of_operator.emplace().ulp = 100;
  TensorSides sides{DType::float32, "b", "b", nullptr, &b};
  sides.exact = &exact;
  const TensorJudgement judged = judge_tensor(check, sides);
  EXPECT_FALSE(judged.passed) << "8192 units of the largest value";
  EXPECT_EQ(judged.text.find("largest 8192 ULP (of the largest value, at one that is exactly 0)"), 0U)
      << judged.text;
}

TEST(TensorClaimTest, AnotherShapeOrDtype_Differs) {
  const Values a{DType::float32, {2}, {1, 2}}, b{DType::float32, {1, 2}, {1, 2}},
      c{DType::bfloat16, {2}, {1, 2}};
  compare::Check check;
  check.relation = compare::Relation::identical;
  EXPECT_FALSE(judge_tensor(check, {DType::float32, "a", "b", &a, &b}).passed);
  EXPECT_FALSE(judge_tensor(check, {DType::float32, "a", "b", &a, &c}).passed);
  check.relation = compare::Relation::distinct;
  EXPECT_EQ(judge_tensor(check, {DType::float32, "a", "b", &a, &b}).verdict, compare::Verdict::missing);
}

TEST(TensorClaimTest, SignedZeroIsAnotherBit) {
  const Values a{DType::float32, {1}, {0.0}}, b{DType::float32, {1}, {-0.0}};
  compare::Check check;
  check.relation = compare::Relation::identical;
  EXPECT_FALSE(judge_tensor(check, {DType::float32, "a", "b", &a, &b}).passed);
}

TEST(TensorClaimTest, SixteenBits_AreJudgedByTheirOwnRounding) {
  const Values a64{DType::float64, {4}, {1, 2, 3, 4}};
  const Values a{DType::bfloat16, {4}, {1, 2, 3, 4}}, b{DType::bfloat16, {4}, {1.0078125, 2, 3, 4}};
  compare::Check check;
  check.relation = compare::Relation::equivalent;
  EXPECT_EQ(judge_tensor(check, {DType::bfloat16, "a", "b", &a, &b, &a64, &a64}).verdict,
            compare::Verdict::rounding);
  const Values far{DType::bfloat16, {4}, {1.5, 2, 3, 4}};
  EXPECT_EQ(judge_tensor(check, {DType::bfloat16, "a", "b", &a, &far, &a64, &a64}).verdict,
            compare::Verdict::imprecise);
  const Values b64{DType::float64, {4}, {1.0078125, 2, 3, 4}};
  EXPECT_EQ(judge_tensor(check, {DType::bfloat16, "a", "b", &a, &b, &a64, &b64}).verdict,
            compare::Verdict::different)
      << "the difference stays in float64";
}

/// A tile that a kernel for 16 bits never writes: its float64 twin, which another kernel computes, is right.
TEST(TensorClaimTest, OneUnwrittenElement_IsNotRounding) {
  Values exact{DType::float64, {4096}, std::vector<double>(4096)};
  for (size_t i = 0; i < exact.size(); ++i)
    exact.value[i] = 1 + static_cast<double>(i % 97) / 100;
  for (const DType dtype : {DType::bfloat16, DType::float16, DType::float32}) {
    Values right{dtype, exact.shape, exact.value};
    for (double& value : right.value)
      value = rounded(dtype, value);
    Values wrong = right;
    wrong.value[4000] = 0;
    compare::Check equivalent, accurate;
    equivalent.relation = compare::Relation::equivalent;
    accurate.relation = compare::Relation::accurate;
    accurate.of_operator.emplace();
    const auto judged = [&](const Values& b) {
      TensorSides sides{dtype, "a", "b", &right, &b, &exact, &exact, &exact, &right};
      return std::pair(judge_tensor(equivalent, sides), judge_tensor(accurate, sides));
    };
    EXPECT_TRUE(judged(right).first.passed) << name_of(dtype);
    EXPECT_TRUE(judged(right).second.passed) << name_of(dtype);
    const auto [by_twins, by_exact] = judged(wrong);
    for (const TensorJudgement& each : {by_twins, by_exact}) {
      EXPECT_FALSE(each.passed) << name_of(dtype);
      EXPECT_EQ(each.verdict, compare::Verdict::imprecise) << each.text;
    }
    if (dtype == DType::bfloat16) {
      EXPECT_EQ(
          by_twins.text.find("element [4000] of b is 0 in place of 1.23, 2.1e+02 bfloat16 roundings away"),
          0U)
          << by_twins.text;
    }
  }
}

/// Returns sums of four uniform numbers of a fixed sequence: near enough to normal values.
std::vector<double> bell_values(size_t count) {
  std::vector<double> values(count);
  uint64_t state = 1;
  for (double& value : values)
    for (int term = 0; term < 4; ++term) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      value += static_cast<double>(state >> 11) * 0x1p-53 - 0.5;
    }
  return values;
}

/// A kernel for 16 bits whose elements are all too large by 2.5 %, 6.4 roundings of bfloat16. Its twin is
/// right.
TEST(TensorClaimTest, ClaimedTimes_AlsoAllowAnElementMore) {
  // Operands of 11 bits, as TF32 takes them: each value is off by up to 2^13 roundings of float32.
  Values exact{DType::float64, {4096}, std::vector<double>(4096)};
  for (size_t i = 0; i < exact.size(); ++i)
    exact.value[i] = 1 + static_cast<double>(i % 97) / 100 + 1e-4 / static_cast<double>(i + 1);
  Values plain{DType::float32, exact.shape, exact.value}, coarse = plain;
  for (double& value : plain.value)
    value = rounded(DType::float32, value);
  for (double& value : coarse.value)
    value = std::nearbyint(value * 0x1p10) * 0x1p-10;
  compare::Check check;
  check.relation = compare::Relation::accurate;
  check.of_operator.emplace();
  const auto judged = [&](std::optional<double> times) {
    check.of_operator->times = times;
    return judge_tensor(check, {DType::float32, "a", "b", &plain, &coarse, &exact, &exact, &exact, &plain},
                        false);
  };
  EXPECT_FALSE(judged(std::nullopt).passed);
  EXPECT_FALSE(judged(1000).passed);
  EXPECT_TRUE(judged(0x1p14).passed) << judged(0x1p14).text;
  coarse.value[4000] = 0;
  EXPECT_FALSE(judged(0x1p14).passed);
}

TEST(TensorClaimTest, CommonFactor_IsNotRounding) {
  compare::Check check;
  check.relation = compare::Relation::equivalent;
  for (const int64_t count : {256, 16384}) {
    const Values exact{DType::float64, {count}, bell_values(static_cast<size_t>(count))};
    for (const DType dtype : {DType::bfloat16, DType::float16}) {
      const double roundoff = dtype == DType::bfloat16 ? 0x1p-8 : 0x1p-11;
      const auto scaled = [&](double factor) {
        Values values{dtype, exact.shape, exact.value};
        for (double& value : values.value)
          value = rounded(dtype, rounded(dtype, value) * factor);
        return values;
      };
      const Values right = scaled(1), wrong = scaled(1 + 6.4 * roundoff),
                   wrong_down = scaled(1 - 4 * roundoff), shared = scaled(1 + roundoff);
      const auto judged = [&](const Values& a, const Values& b) {
        return judge_tensor(check, {dtype, "a", "b", &a, &b, &exact, &exact});
      };
      EXPECT_EQ(judged(right, wrong).verdict, compare::Verdict::imprecise) << judged(right, wrong).text;
      EXPECT_EQ(judged(wrong_down, right).verdict, compare::Verdict::imprecise);
      EXPECT_TRUE(judged(right, shared).passed) << "a constant that is rounded once";
      EXPECT_TRUE(judged(right, right).passed);
      EXPECT_EQ(judged(wrong, wrong).verdict, compare::Verdict::identical) << "both lose it alike";
      if (dtype == DType::bfloat16) {
        EXPECT_EQ(judged(right, wrong).text.find("b has 1.02"), 0U) << judged(right, wrong).text;
      }
    }
  }
}

TEST(TensorClaimTest, FactorOfFewElements_MayBeChance) {
  compare::Check check;
  check.relation = compare::Relation::equivalent;
  const Values exact{DType::float64, {4}, {1, 2, 3, 4}};
  const Values right{DType::bfloat16, {4}, {1, 2, 3, 4}},
      b{DType::bfloat16, {4}, {1.015625, 2.03125, 3.0625, 4.0625}};
  EXPECT_TRUE(judge_tensor(check, {DType::bfloat16, "a", "b", &right, &b, &exact, &exact}).passed);
}

}  // namespace
}  // namespace parity::operators
