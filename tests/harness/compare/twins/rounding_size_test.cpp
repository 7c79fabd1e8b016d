// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/twins/rounding_size.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

namespace parity::compare {
namespace {

using testing::HasSubstr;

constexpr double norm = 8;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

/// Arms that lose the given number of roundings of a dtype, with a gap of the same size; no gap in float64.
RoundingSize losing(double a, double b, DType dtype = DType::float32) {
  RoundingSize size;
  size.model_a = size.model_b = rounding_model(dtype);
  const double unit = size.model_a.roundoff * norm;
  size.distance_a = a * unit;
  size.distance_b = b * unit;
  size.collapse = {std::max(a, b) * unit, 0, norm};
  return size;
}

Verdict judged(const RoundingSize& size) {
  return RoundingSizeRule().judge(size);
}

const RoundingSizeRule rule;
const RoundingModel float32 = rounding_model(DType::float32);

TEST(RoundingSizeTest, HalfTheLimitPassesAndTwiceFails) {
  const double limit = rule.alike * float32.usual;  // next to an arm that loses nothing
  EXPECT_EQ(judged(losing(0, limit / 2)), Verdict::rounding);
  EXPECT_EQ(judged(losing(limit / 2, 0)), Verdict::rounding);
  EXPECT_EQ(judged(losing(0, limit * 2)), Verdict::imprecise);
  EXPECT_EQ(judged(losing(limit * 2, 0)), Verdict::imprecise);
}

TEST(RoundingSizeTest, ArmsThatLoseAlikeMayLoseMore) {
  EXPECT_EQ(judged(losing(float32.most / 2, float32.most / 4)), Verdict::rounding);
  EXPECT_EQ(judged(losing(400, 400 * rule.alike / 2)), Verdict::rounding);
  EXPECT_EQ(judged(losing(100, 100 * rule.alike * 2)), Verdict::imprecise);
}

TEST(RoundingSizeTest, BothBeyondTheModelFail) {
  EXPECT_EQ(judged(losing(float32.most * 2, float32.most * 2)), Verdict::imprecise);
}

TEST(RoundingSizeTest, ALossInCommonMayBeLarger) {
  RoundingSize size = losing(float32.most * 2, float32.most * 2);
  const double unit = float32.roundoff * norm;
  size.collapse.gap32 = rule.alike * float32.usual / 2 * unit;
  EXPECT_EQ(judged(size), Verdict::rounding);
  size.collapse.gap32 = rule.alike * float32.usual * 2 * unit;
  EXPECT_EQ(judged(size), Verdict::imprecise);
  size.collapse.gap32 = 0;
  size.distance_a = size.distance_b = float32.in_common / 2 * unit;
  EXPECT_EQ(judged(size), Verdict::rounding);
  size.distance_a = size.distance_b = float32.in_common * 2 * unit;
  EXPECT_EQ(judged(size), Verdict::imprecise);
}

TEST(RoundingSizeTest, AnAmplificationSeenInFloat64Counts) {
  const double limit = rule.alike * float32.usual;
  RoundingSize size = losing(0, limit * 2);
  size.collapse.gap64 = 4 * float32.usual * 0x1p-53 * norm;
  EXPECT_EQ(judged(size), Verdict::rounding);
  size.distance_b *= 4;  // twice what an amplification of 4 usual ones allows
  EXPECT_EQ(judged(size), Verdict::imprecise);
}

TEST(RoundingSizeTest, NoAmplificationAllowsMoreThanItsBound) {
  RoundingSize size = losing(0x1p18, 0x1p18);
  size.collapse.gap64 = norm;  // CollapseRule refuses it; this rule does not depend on that
  EXPECT_EQ(judged(size), Verdict::imprecise);
}

TEST(RoundingSizeTest, ATwinFarFromItsArmIsVacuous) {
  RoundingSize size = losing(1, 1);
  size.distance_b = rule.near * norm / 2;
  EXPECT_EQ(judged(size), Verdict::imprecise);
  size.distance_b = rule.near * norm * 2;
  EXPECT_EQ(judged(size), Verdict::vacuous);
  size.factor = infinite;
  EXPECT_EQ(judged(size), Verdict::vacuous) << "no factor makes a twin of what is none";
}

TEST(RoundingSizeTest, AZeroTwinIsVacuous) {
  RoundingSize size = losing(1, 1);
  size.collapse.norm64 = 0;
  EXPECT_EQ(judged(size), Verdict::vacuous);
  EXPECT_THAT(rule.explain(size, "a", "b"), HasSubstr("its float64 twin"));
}

TEST(RoundingSizeTest, AZeroQuantityOfZeroArmsIsRounding) {
  EXPECT_EQ(judged(RoundingSize{}), Verdict::rounding);
}

TEST(RoundingSizeTest, AGapThatNoDistanceExplainsIsVacuous) {
  RoundingSize size = losing(1, 1);
  const double explained = rule.explained * (size.distance_a + size.distance_b);
  size.collapse.gap32 = explained / 2;
  EXPECT_EQ(judged(size), Verdict::rounding);
  size.collapse.gap32 = explained * 2;
  EXPECT_EQ(judged(size), Verdict::vacuous);
  EXPECT_THAT(rule.explain(size, "a", "b"), HasSubstr("not of these runs"));
  size.exact = false;
  EXPECT_EQ(judged(size), Verdict::rounding) << "an estimate may be off";
}

TEST(RoundingSizeTest, NothingHoldsForNanOrInfinity) {
  for (const double bad : {nan, infinite})
    for (double RoundingSize::* distance : {&RoundingSize::distance_a, &RoundingSize::distance_b}) {
      RoundingSize size = losing(1, 1);
      size.*distance = bad;
      EXPECT_NE(judged(size), Verdict::rounding);
      EXPECT_NE(rule.explain(size, "a", "b"), "");
    }
  for (const double bad : {nan, infinite})
    for (double Collapse::* norm_of : {&Collapse::gap32, &Collapse::norm64}) {
      RoundingSize size = losing(1, 1);
      size.collapse.*norm_of = bad;
      EXPECT_NE(judged(size), Verdict::rounding);
    }
}

TEST(RoundingSizeTest, NarrowTypesHaveModelsOfTheirOwn) {
  for (const DType dtype : {DType::bfloat16, DType::float16}) {
    const double most = rounding_model(dtype).most;
    EXPECT_EQ(judged(losing(most / 2, most / 2, dtype)), Verdict::rounding) << name_of(dtype);
    EXPECT_EQ(judged(losing(most * 2, most * 2, dtype)), Verdict::imprecise) << name_of(dtype);
  }
  EXPECT_EQ(rounding_model(DType::int64).dtype, DType::float32);
  EXPECT_EQ(rounding_model(DType::float64).roundoff, 0x1p-24);
}

TEST(RoundingSizeTest, ArmsInTwoTypesNeedNotLoseAlike) {
  RoundingSize size = losing(1, 1);
  size.model_b = rounding_model(DType::bfloat16);
  size.distance_b = size.model_b.most / 2 * size.model_b.roundoff * norm;
  size.comparable = false;
  EXPECT_EQ(judged(size), Verdict::rounding);
  size.distance_a = size.distance_b;
  EXPECT_EQ(judged(size), Verdict::imprecise) << "the arm in float32 may not";
}

TEST(RoundingSizeTest, NamesTheArmThatLosesMore) {
  EXPECT_EQ(
      rule.explain(losing(4, 0x1p14), "a", "b"),
      "b loses 2^14.0 float32 roundings (at most 2^7.0), a 2^2.0 float32 roundings: a narrower type or a "
      "cancelling sum");
  EXPECT_THAT(rule.explain(losing(0x1p14, 0), "a", "b"), HasSubstr("a loses 2^14.0"));
  EXPECT_EQ(rule.explain(losing(1, 1), "a", "b"), "");
}

}  // namespace
}  // namespace parity::compare
