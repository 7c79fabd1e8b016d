// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include <gmock/gmock.h>

#include "harness/compare/bounds/gap_ratio.hpp"
#include "tests/support/traces/planted_runs.hpp"

namespace parity::compare {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Megatron-LM's numbers (PR #4891): FSDP is 0.227 from the reference, HSDP as far as a test sets.
class NoFartherTest : public PlantedTest {
 protected:
  static constexpr size_t steps = 4;

  void SetUp() override {
    PlantedTest::SetUp();
    add("reference", 0);
    add("fsdp", 0.227);
  }
  void add(const std::string& name, double gap) {
    std::vector<double> loss;
    for (size_t i = 0; i < steps; ++i)
      loss.push_back(8.0 - static_cast<double>(i) + (i % 2 == 0 ? gap : -gap));
    add_arm(name, {.channels = {{"loss", loss}, {"lr", std::vector<double>(steps, 0.5)}}});
  }
  static Check claim(const std::vector<std::string>& channels = {"loss"}) {
    Check check;
    check.channels = channels;
    check.arms = {"reference", "hsdp"};
    check.relation = Relation::no_farther;
    check.sibling = Sibling{{"reference", "fsdp"}, {}, 3};
    check.because = "the test says so";
    return check;
  }
  CheckResult judged(const Check& check = claim()) { return judge(check, arms); }
};

TEST_F(NoFartherTest, MegatronDefect_FailsWithBothGapsRepairHolds) {
  add("hsdp", 1.527);
  const CheckResult bad = judged();
  EXPECT_FALSE(bad.passed);
  EXPECT_EQ(bad.verdict, Verdict::different);
  EXPECT_THAT(bad.sentence,
              AllOf(HasSubstr("the gap of hsdp against reference is 6.7 times that of fsdp against "
                              "reference (1.527 against 0.227)"),
                    HasSubstr("in loss, mean over steps 1-4; allowed 3 times")));
  EXPECT_NEAR(bad.measured.at("gap_ratio").get<double>(), 6.727, 1e-3);
  EXPECT_EQ(bad.limit.at("gap_ratio"), 3);
  ASSERT_TRUE(bad.worst);
  EXPECT_EQ(bad.worst->quantity, "loss");
  add("hsdp", 0.255);
  const CheckResult good = judged();
  EXPECT_TRUE(good.passed) << good.sentence;
  EXPECT_EQ(good.verdict, Verdict::rounding);
  EXPECT_THAT(good.sentence, HasSubstr("is 1.1 times that of fsdp"));
}

TEST_F(NoFartherTest, HalfTheFactorHoldsAndTwiceTheFactorDoesNot) {
  add("hsdp", 0.227 * 1.5);
  EXPECT_TRUE(judged().passed);
  add("hsdp", 0.227 * 6);
  EXPECT_FALSE(judged().passed);
  Check check = claim();
  check.sibling->times = 12;
  EXPECT_TRUE(judged(check).passed);
}

TEST_F(NoFartherTest, ARejectedPair_PassesOnlyIfItIsFarther) {
  Check check = claim();
  check.sibling->rejected = true;
  add("hsdp", 1.527);
  const CheckResult bad = judged(check);
  EXPECT_TRUE(bad.passed);
  EXPECT_EQ(bad.verdict, Verdict::different);
  EXPECT_THAT(bad.sentence, HasSubstr("rejected from 3 times on"));
  add("hsdp", 0.255);
  EXPECT_FALSE(judged(check).passed);
  add("hsdp", std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(judged(check).passed) << "NaN is no measured gap";
  add("hsdp", 1.527);
  add("fsdp", 0);
  EXPECT_FALSE(judged(check).passed) << "a floor of 0 rejects everything";
}

TEST_F(NoFartherTest, OneSpikeCountsByItsSizeAndIsNamed) {
  std::vector<double> loss = {8.0, 7.0, 6.0, 5.0};
  loss[2] += 8;
  add_arm("hsdp", {.channels = {{"loss", loss}, {"lr", std::vector<double>(steps, 0.5)}}});
  const CheckResult result = judged();
  EXPECT_FALSE(result.passed);
  EXPECT_THAT(result.sentence, HasSubstr("widest at step 3, 8 against 0.227"));
  EXPECT_EQ(result.worst->step, 3);
}

TEST_F(NoFartherTest, ASiblingWithoutAGapLetsNonePass) {
  add("fsdp", 0);
  add("hsdp", 1e-9);
  const CheckResult result = judged();
  EXPECT_FALSE(result.passed);
  EXPECT_THAT(result.sentence,
              HasSubstr("the gap of hsdp against reference is more than 0, unlike that of fsdp"));
}

TEST_F(NoFartherTest, EqualBitsEverywhereProveNothing) {
  add("fsdp", 0);
  add("hsdp", 0);
  EXPECT_EQ(judged().verdict, Verdict::vacuous);
  EXPECT_FALSE(judged().passed);
  add("fsdp", 0.227);
  EXPECT_EQ(judged().verdict, Verdict::identical);
  EXPECT_TRUE(judged().passed);
}

TEST_F(NoFartherTest, NoRatioHoldsForANaN) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  add("hsdp", nan);
  EXPECT_FALSE(judged().passed);
  EXPECT_THAT(judged().sentence, HasSubstr("is not finite"));
  add("fsdp", nan);
  add("hsdp", 0.2);
  EXPECT_FALSE(judged().passed);
  add("hsdp", 0);
  EXPECT_FALSE(judged().passed);
}

TEST_F(NoFartherTest, EachQuantityIsHeldAgainstItsOwn) {
  add("hsdp", 0.227);
  EXPECT_TRUE(judged(claim({"loss", "lr"})).passed);
  arms.clear();
  add("reference", 0);
  add("fsdp", 0.227);
  std::vector<double> loss = {8.1, 6.9, 6.1, 4.9};
  add_arm("hsdp", {.channels = {{"loss", loss}, {"lr", std::vector<double>(steps, 0.25)}}});
  const CheckResult result = judged(claim({"loss", "lr"}));
  EXPECT_FALSE(result.passed);
  EXPECT_THAT(result.sentence, HasSubstr("in lr"));
}

TEST_F(NoFartherTest, TensorsOfAGlobAreOneVector) {
  const auto add_weights = [&](const std::string& name, float bump) {
    PlantedRun run{.channels = {{"loss", std::vector<double>(steps, 2.0)}}};
    run.tensors.push_back({{2, trace::Phase::grad, "v"}, std::vector<float>{1.0F + bump, 2.0F}});
    run.tensors.push_back({{2, trace::Phase::grad, "w"}, std::vector<float>{3.0F, 4.0F + bump}});
    add_arm(name, run);
  };
  Check check = claim();
  check.channels.clear();
  check.tensor = "*";
  check.phase = trace::Phase::grad;
  add_weights("reference", 0);
  add_weights("fsdp", 0.25F);
  add_weights("hsdp", 0.5F);
  const CheckResult near = judged(check);
  EXPECT_TRUE(near.passed) << near.sentence;
  EXPECT_NEAR(near.measured.at("gap_ratio").get<double>(), 2, 1e-6);
  add_weights("hsdp", 1.0F);
  EXPECT_FALSE(judged(check).passed);
}

TEST_F(NoFartherTest, PairsOfOtherTensors_AreNotCompared) {
  const auto add_weights = [&](const std::string& name, const std::vector<std::string>& tensors, float bump) {
    PlantedRun run{.channels = {{"loss", std::vector<double>(steps, 2.0)}}};
    for (const std::string& tensor : tensors)
      run.tensors.push_back({{2, trace::Phase::grad, tensor}, std::vector<float>{1.0F + bump, 2.0F}});
    add_arm(name, run);
  };
  Check check = claim();
  check.channels.clear();
  check.tensor = "*";
  check.phase = trace::Phase::grad;
  check.sibling->each = true;
  add_weights("reference", {"v"}, 0);
  add_weights("hsdp", {"v"}, 0x1p-7F);
  for (const std::vector<std::string>& others : {std::vector<std::string>{"w"}, {"v", "w"}}) {
    check.arms = {"reference", "hsdp"};
    check.sibling->arms = {"plain", "fsdp"};
    add_weights("plain", others, 0);
    add_weights("fsdp", others, 0x1p-7F);
    const CheckResult result = judged(check);
    EXPECT_EQ(result.verdict, Verdict::missing);
    EXPECT_THAT(result.sentence, HasSubstr("other quantities"));
    arms.erase("plain");
    arms.erase("fsdp");
  }
}

TEST_F(NoFartherTest, EachTensorByItself_FindsASmallOneBesideALargeOne) {
  const auto add_weights = [&](const std::string& name, float small, float large) {
    PlantedRun run{.channels = {{"loss", std::vector<double>(steps, 2.0)}}};
    for (int64_t step = 1; step <= 2; ++step) {
      run.tensors.push_back({{step, trace::Phase::grad, "small"}, std::vector<float>{1.0F + small, 1.0F}});
      run.tensors.push_back({{step, trace::Phase::grad, "large"}, std::vector<float>{64.0F, 64.0F + large}});
    }
    add_arm(name, run);
  };
  Check check = claim();
  check.channels.clear();
  check.tensor = "*";
  check.phase = trace::Phase::grad;
  add_weights("reference", 0, 0);
  add_weights("fsdp", 0x1p-7F, 1);
  add_weights("hsdp", 0x1p-3F, 1);
  EXPECT_TRUE(judged(check).passed) << "one vector hides it";
  check.sibling->each = true;
  const CheckResult found = judged(check);
  EXPECT_FALSE(found.passed);
  EXPECT_THAT(found.sentence, AllOf(HasSubstr("is 16 times that of fsdp"), HasSubstr("in grad small"),
                                    HasSubstr("the worst of 2 tensors")));
  check.sibling->rejected = true;
  EXPECT_TRUE(judged(check).passed);
  check.sibling->times = 20;
  EXPECT_FALSE(judged(check).passed);
}

TEST_F(NoFartherTest, ALostSiblingIsNamed) {
  add("hsdp", 0.2);
  arms["fsdp"].crashed = true;
  EXPECT_EQ(judged().verdict, Verdict::crashed);
  EXPECT_THAT(judged().sentence, HasSubstr("fsdp"));
  arms.erase("fsdp");
  EXPECT_EQ(judged().verdict, Verdict::missing);
}

}  // namespace
}  // namespace parity::compare
