// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include <gmock/gmock.h>

#include "harness/compare/bounds/bound.hpp"
#include "tests/support/traces/twin_runs.hpp"

namespace parity::compare {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Two arms with a loss of 2, exact at step 1, and a floor of 2e-6 (relative 1e-6) from step 2 on.
class BoundedTest : public PlantedTest {
 protected:
  static constexpr size_t steps = 6;
  ArmFloors floors;

  void SetUp() override {
    PlantedTest::SetUp();
    for (int64_t step = 1; step <= static_cast<int64_t>(steps); ++step) {
      floors.rows.push_back({"loss", step, 2, {step == 1 ? 0.0 : 2e-6}});
      floors.rows.push_back({"grad w", step, 5, {1e-6}});
    }
  }
  void add(const std::string& name, const std::vector<double>& loss, int64_t tokens = 7) {
    add_arm(name, {.channels = {{"loss", loss}, {"tokens", std::vector<int64_t>(steps, tokens)}}});
    arms[name].floors = &floors;
  }
  /// The arms, apart by `gap` at one step.
  void add_pair(double gap, size_t step) {
    add("a", std::vector<double>(steps, 2.0));
    add("b", changed(std::vector<double>(steps, 2.0),
                     [&](size_t i, double value) { return i + 1 == step ? value + gap : value; }));
  }
  CheckResult judged(std::optional<double> tolerance = std::nullopt, const std::string& why = "",
                     const std::string& channel = "loss") {
    Check check = check_of(Relation::bounded, {channel});
    check.tolerance = tolerance;
    check.tolerance_because = why;
    return judge(check, arms);
  }
};

TEST_F(BoundedTest, HalfTheBoundHoldsAndTwiceTheBoundDoesNot) {
  add_pair(4 * 2e-6, 3);
  const CheckResult half = judged();
  EXPECT_TRUE(half.passed) << half.sentence;
  EXPECT_EQ(half.verdict, Verdict::rounding);
  EXPECT_NEAR(half.measured.at("floors").get<double>(), 4, 1e-6);
  EXPECT_EQ(half.limit.at("floors"), 8);
  EXPECT_THAT(half.sentence,
              AllOf(HasSubstr("within 8 measured floors"), HasSubstr("at step 3"), HasSubstr("4 floors")));
  add_pair(16 * 2e-6, 3);
  const CheckResult twice = judged();
  EXPECT_FALSE(twice.passed);
  EXPECT_EQ(twice.verdict, Verdict::different);
  EXPECT_THAT(twice.sentence, AllOf(HasSubstr("exceeds its bound at step 3"), HasSubstr("16 floors"),
                                    HasSubstr("b 2.000032"), HasSubstr("1 of 6 steps, first at 3")));
  ASSERT_TRUE(twice.worst);
  EXPECT_EQ(twice.worst->step, 3);
  EXPECT_EQ(twice.worst->limit, 8);
}

TEST_F(BoundedTest, TheGapIsToldInItsBoundAndDrawnBesideIt) {
  add_pair(4 * 2e-6, 3);
  const CheckResult half = judged();
  EXPECT_THAT(half.sentence, HasSubstr("4 floors, 0.5 of its bound"));
  EXPECT_NEAR(half.measured.at("of_bound").get<double>(), 0.5, 1e-6);
  ASSERT_EQ(half.bounds.size(), 1U);
  const results::MeasuredBound& bound = half.bounds[0];
  EXPECT_EQ(bound.channel, "loss");
  EXPECT_EQ(bound.words, "8 measured floors");
  EXPECT_EQ(bound.steps, (std::vector<int64_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_NEAR(bound.gap.at(2), 8e-6, 1e-12);
  EXPECT_EQ(bound.floor.at(0), 0);
  EXPECT_EQ(bound.limit.at(0), 0);
  for (size_t i = 1; i < steps; ++i)
    EXPECT_EQ(bound.limit.at(i), 8 * bound.floor.at(i));
  add_pair(16 * 2e-6, 3);
  EXPECT_THAT(judged().sentence, HasSubstr("16 floors, 2 times its bound"));
  EXPECT_EQ(judged(1e-5).bounds[0].words, "a tolerance of 1e-05");
  EXPECT_EQ(judged(1e-5).bounds[0].limit.at(3), 2e-5);
}

TEST_F(BoundedTest, AStepBeforeAnyNoiseIsExact) {
  add_pair(0x1p-51, 1);
  const CheckResult result = judged();
  EXPECT_FALSE(result.passed);
  EXPECT_THAT(result.sentence, HasSubstr("floor of 0 the bits must agree"));
  EXPECT_EQ(judged(2e-6).verdict, Verdict::different);
  EXPECT_TRUE(judged(2e-6, "the first step is drawn anew").passed);
}

TEST_F(BoundedTest, TheBoundFollowsTheGrowthOfTheNoise) {
  for (FloorRow& row : floors.rows)
    if (row.quantity == "loss" && row.step > 1)
      row.noise = {2e-6 * std::pow(2.0, static_cast<double>(row.step))};
  add_pair(4 * 2e-6 * 64, 6);  // step 6: 4 floors
  EXPECT_TRUE(judged().passed);
  add_pair(4 * 2e-6 * 64, 2);  // step 2: 64 floors
  EXPECT_FALSE(judged().passed);
}

TEST_F(BoundedTest, AToleranceBelowTheFloorIsRefused) {
  add_pair(0, 3);
  const CheckResult result = judged(0.5e-6);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::vacuous);
  EXPECT_THAT(result.sentence,
              AllOf(HasSubstr("tolerance of 5e-07"), HasSubstr("fail by chance"), HasSubstr("1e-06")));
  EXPECT_TRUE(judged(2e-6).passed);
  EXPECT_TRUE(judged(0.5e-6, "only these two arms").passed);
}

TEST_F(BoundedTest, AToleranceAboveAThousandFloorsIsRefused) {
  add_pair(0, 3);
  EXPECT_TRUE(judged(0.999e-3).passed);
  const CheckResult result = judged(1.001e-3);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::vacuous);
  EXPECT_THAT(result.sentence, AllOf(HasSubstr("tolerance of 0.001"), HasSubstr("1e+03 times as large"),
                                     HasSubstr("tolerance_because")));
  EXPECT_TRUE(judged(1.001e-3, "a published bound").passed);
}

TEST_F(BoundedTest, ATolerancesHalfPassesAndItsDoubleFails) {
  add_pair(2 * 5e-6, 4);
  EXPECT_TRUE(judged(1e-5).passed);
  add_pair(2 * 20e-6, 4);
  const CheckResult result = judged(1e-5);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.limit.at("relative_gap"), 1e-5);
}

TEST_F(BoundedTest, TheLargerFloorOfTheArmsCounts) {
  add_pair(16 * 2e-6, 3);
  ArmFloors larger = floors;
  for (FloorRow& row : larger.rows)
    row.noise = {row.noise[0] * 3};
  arms["b"].floors = &larger;
  EXPECT_TRUE(judged().passed);
}

TEST_F(BoundedTest, NothingIsBoundedByAFloorThatIsNotThere) {
  add_pair(0, 3);
  arms["b"].floors = nullptr;
  arms["b"].floors_problem = "measure it with: parity calibrate c.toml";
  const CheckResult result = judged();
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::missing);
  EXPECT_THAT(result.sentence, AllOf(HasSubstr("loss of b"), HasSubstr("parity calibrate c.toml")));
  arms["b"].floors = &floors;
  std::erase_if(floors.rows, [](const FloorRow& row) { return row.step == 5; });
  EXPECT_EQ(judged().verdict, Verdict::missing);
}

TEST_F(BoundedTest, CountsHaveNoRoundingAndNoFloor) {
  add("a", std::vector<double>(steps, 2.0), 7);
  add("b", std::vector<double>(steps, 2.0), 7);
  EXPECT_EQ(judged({}, "", "tokens").verdict, Verdict::identical);
  add("b", std::vector<double>(steps, 2.0), 8);
  const CheckResult result = judged({}, "", "tokens");
  EXPECT_FALSE(result.passed);
  EXPECT_THAT(result.sentence, HasSubstr("counts have no rounding"));
}

TEST_F(BoundedTest, NoBoundHoldsForANaN) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    add("a", std::vector<double>(steps, 2.0));
    add("b", changed(std::vector<double>(steps, 2.0), [&](size_t i, double v) { return i == 4 ? bad : v; }));
    for (const auto& [tolerance, why] :
         {std::pair(std::optional<double>(), ""), std::pair(std::optional(1e9), "x")}) {
      const CheckResult result = judged(tolerance, why);
      EXPECT_FALSE(result.passed) << bad;
      EXPECT_THAT(result.sentence, HasSubstr("not finite"));
    }
  }
}

TEST_F(BoundedTest, TensorsAreHeldAgainstFloorsOfTheirOwn) {
  const auto run_with = [](float bump) {
    PlantedRun run{.channels = {{"loss", std::vector<double>(steps, 2.0)}}};
    run.tensors.push_back({{2, trace::Phase::grad, "w"}, std::vector<float>{3.0F, 4.0F + bump}});
    return run;
  };
  const Check check = [] {
    Check made = tensor_check_of(Relation::bounded, "w", trace::Phase::grad);
    made.steps = {StepWindow::Kind::range, 2, 2};
    return made;
  }();
  for (const auto& [bump, passes] : {std::pair(4e-6F, true), std::pair(16e-6F, false)}) {
    add_arm("a", run_with(0));
    add_arm("b", run_with(bump));
    arms["a"].floors = arms["b"].floors = &floors;
    const CheckResult result = judge(check, arms);
    EXPECT_EQ(result.passed, passes) << result.sentence;
    ASSERT_EQ(result.tensors.size(), 1U);
    EXPECT_EQ(result.tensors[0].name, "w");
  }
}

/// If twins cannot judge `equivalent`, floors do.
class EquivalentByFloorTest : public TwinTest {
 protected:
  ArmFloors floors;

  void set_floors(double relative) {
    floors.rows.clear();
    for (int64_t step = 1; step <= 10; ++step)
      floors.rows.push_back({"loss", step, 7, {7 * relative}});
    for (auto& [name, arm] : arms)
      arm.floors = &floors;
  }
  CheckResult judged() { return judge(check_of(Relation::equivalent, {"loss"}), arms); }
};

TEST_F(EquivalentByFloorTest, AnArmWithoutATwinIsHeldAgainstItsFloor) {
  add_pair();
  arms["b"].twin = nullptr;
  EXPECT_EQ(judged().verdict, Verdict::missing);
  EXPECT_THAT(judged().sentence, AllOf(HasSubstr("no float64 twin"), HasSubstr("its rounding noise")));
  set_floors(u32);
  const CheckResult near = judged();
  EXPECT_TRUE(near.passed) << near.sentence;
  EXPECT_EQ(near.verdict, Verdict::rounding);
  set_floors(u32 / 64);
  EXPECT_FALSE(judged().passed);
}

TEST_F(EquivalentByFloorTest, EqualBitsProveNothingThereEither) {
  for (const char* name : {"a", "b"})
    add_arm(name, run_of(noisy(u32, 1, true)));
  set_floors(u32);
  EXPECT_EQ(judged().verdict, Verdict::vacuous);
}

TEST_F(EquivalentByFloorTest, AGapOf16BitsCollapsesAndMustFitTheirFloorToo) {
  const double u16 = u32 * 0x1p16;
  add_arm("a", run_of(noisy(u32, 1, true)));
  add_arm("b", run_of(noisy(u16, 2, true)));
  add_twin("a", run_of(noisy(u64, 3, false)));
  add_twin("b", run_of(noisy(u64, 4, false)));
  EXPECT_EQ(judged().verdict, Verdict::imprecise) << "nothing says that b computes in 16 bits";
  arms["b"].sixteen_bits = true;
  EXPECT_EQ(judged().verdict, Verdict::missing);
  set_floors(u16);
  const CheckResult fits = judged();
  EXPECT_TRUE(fits.passed) << fits.sentence;
  EXPECT_THAT(fits.sentence, HasSubstr("in 16 bits at most"));
  set_floors(u16 / 64);
  const CheckResult large = judged();
  EXPECT_FALSE(large.passed);
  EXPECT_THAT(large.sentence, HasSubstr("16 bits do not explain"));
}

TEST_F(EquivalentByFloorTest, ZeroFloorOf16Bits_AllowsFloat32Rounding) {
  add_pair();
  arms["b"].sixteen_bits = true;
  set_floors(0);
  const CheckResult fits = judged();
  EXPECT_TRUE(fits.passed) << fits.sentence;
  EXPECT_THAT(fits.sentence, HasSubstr("in 16 bits at most"));
  add_arm("b", run_of(noisy(64 * u32, 2, true)));
  arms["b"].sixteen_bits = true;
  set_floors(0);
  const CheckResult large = judged();
  EXPECT_FALSE(large.passed);
  EXPECT_THAT(large.sentence, HasSubstr("16 bits do not explain"));
}

}  // namespace
}  // namespace parity::compare
