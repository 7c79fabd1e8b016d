// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gmock/gmock.h>

#include "tests/support/traces/planted_runs.hpp"

namespace parity::compare {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class RepeatsTest : public PlantedTest {
 protected:
  /// A run of three updates with a loss and a gradient. \param third  the gradient's first element at update
  /// 3
  static PlantedRun run(float third = 3) {
    PlantedRun run;
    run.channels["loss"] = std::vector<double>{3, 2, 1};
    for (int64_t step = 1; step <= 3; ++step)
      run.tensors.push_back(
          {{step, trace::Phase::grad, "w"}, std::vector<float>{step == 3 ? third : 1, 2, 3, 4}});
    return run;
  }

  /// Judges runs of one arm, the first of which is its own.
  CheckResult judge_runs(const std::vector<PlantedRun>& runs, int64_t times = 0,
                         Condition under = Condition::none) {
    arms.clear();
    Check check;
    check.relation = Relation::repeats;
    check.arms = {"a"};
    check.times = times > 0 ? times : static_cast<int64_t>(runs.size());
    check.under = under;
    for (size_t i = 0; i < runs.size(); ++i) {
      const std::string name = "run" + std::to_string(++written_);
      if (i == 0)
        arms["a"].trace = written(name, runs[0]);
      else
        arms["a"].repetitions.push_back(
            {"a, run " + std::to_string(i + 1), under, written(name, runs[i]), ""});
    }
    return judge(check, arms);
  }

 private:
  int written_ = 0;
};

TEST_F(RepeatsTest, SameBits_Identical) {
  const CheckResult result = judge_runs({run(), run(), run()});
  EXPECT_TRUE(result.passed) << result.sentence;
  EXPECT_EQ(result.verdict, Verdict::identical);
  EXPECT_EQ(result.sentence,
            "3 runs of a have the same bits in 1 channel and 3 recorded tensors; provenance is not compared");
  EXPECT_EQ(result.coverage.text(), "1 channel and 1 tensor at steps 1-3");
  EXPECT_EQ(result.measured.at("runs"), 3);
}

TEST_F(RepeatsTest, OddRun_IsNamedWithItsBits) {
  const CheckResult result = judge_runs({run(), run(3.0000002384185791F), run()});
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::different);
  EXPECT_EQ(result.sentence,
            "a does not repeat itself: of 3 runs, run 2 differs from runs 1 and 3, first in grad w at step "
            "3: 1 of 4 "
            "elements, element 0, bit 0 (fraction)");
  ASSERT_TRUE(result.worst);
  EXPECT_EQ(result.worst->step, 3);
  EXPECT_EQ(result.worst->quantity, "w");
}

TEST_F(RepeatsTest, OddFirstRun_IsNamed) {
  EXPECT_THAT(judge_runs({run(5), run(), run()}).sentence, HasSubstr("run 1 differs from runs 2 and 3"));
}

TEST_F(RepeatsTest, OtherBitsEachTime_NamesEach) {
  const CheckResult result = judge_runs({run(), run(4), run(5)});
  EXPECT_THAT(result.sentence, HasSubstr("run 2 differs from run 1"));
  ASSERT_EQ(result.more.size(), 1U);
  EXPECT_THAT(result.more.front(), HasSubstr("run 3 differs from run 1"));
  EXPECT_EQ(result.measured.at("runs_differing"), 2);
}

TEST_F(RepeatsTest, Condition_ComparesWithTheOwnRun) {
  const CheckResult result = judge_runs({run(), run(4), run(4)}, 3, Condition::load);
  EXPECT_THAT(result.sentence, AllOf(HasSubstr("a under load does not repeat itself"),
                                     HasSubstr("runs 2 and 3 differ alike from run 1")));
}

TEST_F(RepeatsTest, TooFewRuns_Missing) {
  for (const size_t runs : {1, 2}) {
    const CheckResult result = judge_runs(std::vector<PlantedRun>(runs, run()), 3);
    EXPECT_FALSE(result.passed);
    EXPECT_EQ(result.verdict, Verdict::missing);
    EXPECT_THAT(result.sentence, HasSubstr("of 3 times"));
  }
}

TEST_F(RepeatsTest, FailedRepetition_Crashed) {
  judge_runs({run(), run()});
  arms["a"].repetitions.front().failure = "rank 0 of a was killed";
  Check check;
  check.relation = Relation::repeats;
  check.arms = {"a"};
  check.times = 2;
  const CheckResult result = judge(check, arms);
  EXPECT_EQ(result.verdict, Verdict::crashed);
  EXPECT_EQ(result.sentence, "rank 0 of a was killed");
}

TEST_F(RepeatsTest, NothingRecorded_Missing) {
  const CheckResult result = judge_runs({PlantedRun(), PlantedRun()});
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::missing) << result.sentence;
}

TEST_F(RepeatsTest, NaN_IsNeitherAgreementNorAnotherRun) {
  PlantedRun lost = run();
  lost.channels["loss"] = std::vector<double>{3, std::nan(""), std::nan("")};
  const CheckResult result = judge_runs({lost, lost, lost});
  EXPECT_EQ(result.verdict, Verdict::missing);
  EXPECT_THAT(result.sentence, HasSubstr("loss is NaN at step 2 of a"));
  EXPECT_EQ(judge_runs({run(), lost}).verdict, Verdict::different);
}

TEST_F(RepeatsTest, ChannelsOnly_SaysSo) {
  PlantedRun bare = run();
  bare.tensors.clear();
  const CheckResult result = judge_runs({bare, bare});
  EXPECT_TRUE(result.passed) << result.sentence;
  EXPECT_THAT(result.sentence, HasSubstr("1 channel and no tensor"));
}

TEST_F(RepeatsTest, TensorOfOneRun_Differs) {
  PlantedRun more = run();
  more.tensors.push_back({{3, trace::Phase::param, "v"}, std::vector<float>{1}});
  EXPECT_THAT(judge_runs({run(), more}).sentence, HasSubstr("param v at step 3 (only in the second)"));
}

}  // namespace
}  // namespace parity::compare
