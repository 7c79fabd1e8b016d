// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/support/traces/planted_runs.hpp"

namespace parity::compare {
namespace {

using testing::HasSubstr;

/// Warm-up of 2 updates: 1-indexed in a, 0-indexed in b.
class LaggedTest : public PlantedTest {
 protected:
  void SetUp() override {
    PlantedTest::SetUp();
    add_arm("a", {.channels = {{"lr", std::vector<double>{0.5, 1, 1, 1}}}}, 2);
    add_arm("b", {.channels = {{"lr", std::vector<double>{0, 0.5, 1, 1}}}}, 2);
  }
};

TEST_F(LaggedTest, PassesAScheduleOneStepLate) {
  Check check = check_of(Relation::lagged, {"lr"});
  check.steps = window(StepWindow::Kind::warmup);
  const CheckResult result = judge(check, arms);
  EXPECT_TRUE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::identical);
  EXPECT_EQ(result.sentence, "lr of b 1 step later has the same bits as a's over steps 1-2 (of a)");
}

TEST_F(LaggedTest, FailsWithTheOtherSignAndNamesTheLagThatFits) {
  Check check = check_of(Relation::lagged, {"lr"});
  check.lag = -1;
  const CheckResult result = judge(check, arms);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::different);
  EXPECT_THAT(result.sentence, HasSubstr("1 step earlier differs from a's"));
  EXPECT_THAT(result.looks_like, HasSubstr("lr of b lags a's by 1 step"));
}

TEST_F(LaggedTest, FindsOneUlpAtOneStep) {
  add_arm("b", {.channels = {{"lr", std::vector<double>{0, 0.5, std::nextafter(1.0, 2.0), 1}}}}, 2);
  const CheckResult result = judge(check_of(Relation::lagged, {"lr"}), arms);
  EXPECT_FALSE(result.passed);
  EXPECT_THAT(
      result.sentence,
      HasSubstr("first at step 3: a has 1 at step 2, b has 1.0000000000000002 at step 3 (1 float64 ULP"));
}

TEST_F(LaggedTest, IsVacuousWhereTheCurveIsFlat) {
  Check check = check_of(Relation::lagged, {"lr"});
  check.steps = range(3, 4);
  const CheckResult result = judge(check, arms);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::vacuous);
}

TEST_F(LaggedTest, FailsIfTheArmsDoNotLag) {
  add_arm("b", {.channels = {{"lr", std::vector<double>{0.5, 1, 1, 1}}}}, 2);
  EXPECT_FALSE(judge(check_of(Relation::lagged, {"lr"}), arms).passed);
}

TEST_F(LaggedTest, AWindowWithoutPartnersIsMissing) {
  Check check = check_of(Relation::lagged, {"lr"});
  check.steps = range(4, 4);
  EXPECT_EQ(judge(check, arms).verdict, Verdict::missing);
}

TEST_F(LaggedTest, TensorsLagToo) {
  const auto at = [](int64_t step, float value) {
    return PlantedTensor{{step, trace::Phase::param, "w"}, std::vector<float>{value, 1}};
  };
  const std::map<std::string, Column> channels = {{"lr", std::vector<double>{1, 1, 1}}};
  add_arm("a", {.channels = channels, .tensors = {at(0, 1), at(1, 2), at(2, 3)}});
  add_arm("b", {.channels = channels, .tensors = {at(1, 1), at(2, 2), at(3, 3)}});
  Check check = tensor_check_of(Relation::lagged, "w");
  check.steps = range(0, 2);
  const CheckResult right = judge(check, arms);
  EXPECT_TRUE(right.passed) << right.sentence;
  add_arm("b", {.channels = channels, .tensors = {at(1, 1), at(2, 2), at(3, 3.0000002F)}});
  EXPECT_EQ(judge(check, arms).verdict, Verdict::different);
}

}  // namespace
}  // namespace parity::compare
