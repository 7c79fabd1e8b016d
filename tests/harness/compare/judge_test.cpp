// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/judge.hpp"

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "tests/support/traces/planted_runs.hpp"

namespace parity::compare {
namespace {

using testing::HasSubstr;

class JudgeTest : public PlantedTest {
 protected:
  void SetUp() override {
    PlantedTest::SetUp();
    for (const char* name : {"a", "b"})
      add_arm(name,
              {.channels = {{"grad_norm", falling_curve()},
                            {"loss", falling_curve()},
                            {"step_seconds", falling_curve()}},
               .tensors = {{{1, trace::Phase::param, "layers.0.wq.weight"}, std::vector<float>{1, 2}}},
               .timing = {"step_seconds"}},
              2);
  }
  CheckResult judge_steps(const StepWindow& steps) {
    Check check = check_of(Relation::identical, {"loss"});
    check.steps = steps;
    return judge(check, arms);
  }
};

TEST_F(JudgeTest, AnUnknownChannelIsMissingWithTheNearestName) {
  const CheckResult result = judge(check_of(Relation::identical, {"gradnorm"}), arms);
  EXPECT_EQ(result.verdict, Verdict::missing);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.sentence, "no channel 'gradnorm' (did you mean 'grad_norm'?); known: grad_norm, loss");
}

TEST_F(JudgeTest, AGlobOfChannelsTakesTheNumericOnes) {
  EXPECT_EQ(judge(check_of(Relation::identical, {"*"}), arms).sentence,
            "grad_norm and loss of b and a have the same bits over steps 1-10");
  EXPECT_EQ(judge(check_of(Relation::identical, {"x*"}), arms).verdict, Verdict::missing);
  EXPECT_EQ(judge(check_of(Relation::identical, {}), arms).verdict, Verdict::missing);
}

TEST_F(JudgeTest, TimingIsNeverJudged) {
  const CheckResult result = judge(check_of(Relation::identical, {"step_seconds"}), arms);
  EXPECT_EQ(result.verdict, Verdict::missing);
  EXPECT_THAT(result.sentence, HasSubstr("timing channel"));
}

TEST_F(JudgeTest, AChannelThatOneArmLacksIsMissing) {
  add_arm("b", {.channels = {{"loss", falling_curve()}}});
  const CheckResult result = judge(check_of(Relation::identical, {"loss", "grad_norm"}), arms);
  EXPECT_EQ(result.verdict, Verdict::missing);
  EXPECT_THAT(result.sentence, HasSubstr("b has no channel 'grad_norm'"));
}

TEST_F(JudgeTest, GlobWithoutMatch_IsMissingWithNearestName) {
  const CheckResult result = judge(tensor_check_of(Relation::identical, "layers.0.wq.weigth"), arms);
  EXPECT_EQ(result.verdict, Verdict::missing);
  EXPECT_THAT(result.sentence, HasSubstr("did you mean 'layers.0.wq.weight'?"));
}

TEST_F(JudgeTest, APhaseOrStepThatWasNotCapturedIsMissing) {
  EXPECT_EQ(judge(tensor_check_of(Relation::identical, "*", trace::Phase::grad), arms).sentence,
            "no grad tensor was recorded (only param); ask for it under [capture]");
  Check check = tensor_check_of(Relation::identical, "*");
  check.steps = window(StepWindow::Kind::last);
  EXPECT_EQ(judge(check, arms).sentence,
            "no param of '*' in the window 'last' (recorded at step 1); capture a step inside it");
}

TEST_F(JudgeTest, ACrashedArmSaysWhereItEnded) {
  add_arm("b", {.channels = {{"loss", falling_curve(2)}},
                .failure = {{"kind", "non_finite"}, {"step", 3}, {"phase", "grad"}, {"tensor", "w"}}});
  arms["b"].crashed = true;
  const CheckResult result = judge(check_of(Relation::identical, {"loss"}), arms);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::crashed);
  EXPECT_EQ(result.sentence, "b did not finish: non_finite at step 3 in grad w");
  arms["b"].trace = nullptr;
  EXPECT_EQ(judge(check_of(Relation::identical, {"loss"}), arms).sentence,
            "b did not finish and left no trace");
}

TEST_F(JudgeTest, AnArmThatIsNotThereIsMissing) {
  arms.erase("b");
  EXPECT_EQ(judge(check_of(Relation::identical, {"loss"}), arms).verdict, Verdict::missing);
}

TEST_F(JudgeTest, AWrongNumberOfArmsIsTheCasesFault) {
  Check check = check_of(Relation::identical, {"loss"});
  check.arms = {"a"};
  EXPECT_THROW(judge(check, arms), UserError);
}

TEST_F(JudgeTest, WindowsMeetWhereWarmUpEnds) {
  EXPECT_THAT(judge_steps(window(StepWindow::Kind::warmup)).sentence, HasSubstr("over steps 1-2"));
  EXPECT_THAT(judge_steps(window(StepWindow::Kind::after_warmup)).sentence, HasSubstr("over steps 3-10"));
  EXPECT_THAT(judge_steps(window(StepWindow::Kind::last)).sentence, HasSubstr("at step 10"));
  EXPECT_THAT(judge_steps(range(4, 6)).sentence, HasSubstr("over steps 4-6"));
}

TEST_F(JudgeTest, OtherWarmups_CompareWhereBothAreInOrOut) {
  arms["b"].warmup_steps = 4;
  EXPECT_THAT(judge_steps(window(StepWindow::Kind::warmup)).sentence, HasSubstr("over steps 1-2"));
  EXPECT_THAT(judge_steps(window(StepWindow::Kind::after_warmup)).sentence, HasSubstr("over steps 5-10"));
}

TEST_F(JudgeTest, EmptyAndImpossibleWindowsAreMissing) {
  for (const StepWindow& steps : {range(7, 12), range(11, 12), range(5, 4)})
    EXPECT_EQ(judge_steps(steps).verdict, Verdict::missing);
  for (const char* name : {"a", "b"})
    arms[name].warmup_steps = 10;
  EXPECT_EQ(judge_steps(window(StepWindow::Kind::after_warmup)).verdict, Verdict::missing);
  for (const char* name : {"a", "b"})
    arms[name].warmup_steps = 0;
  EXPECT_EQ(judge_steps(window(StepWindow::Kind::warmup)).verdict, Verdict::missing);
}

}  // namespace
}  // namespace parity::compare
