// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include <gmock/gmock.h>

#include "tests/support/traces/twin_runs.hpp"

namespace parity::compare {
namespace {

using testing::HasSubstr;
using EquivalentTest = TwinTest;

TEST_F(EquivalentTest, PassesRoundingThatCollapses) {
  add_pair();
  const CheckResult result = judge(check_of(Relation::equivalent, {"loss"}), arms);
  EXPECT_TRUE(result.passed) << result.sentence;
  EXPECT_EQ(result.verdict, Verdict::rounding);
  EXPECT_THAT(result.sentence, HasSubstr("only by rounding"));
  EXPECT_GT(result.measured["collapse_log2"].get<double>(), 26);
  EXPECT_LT(result.measured["collapse_log2"].get<double>(), 32);
  EXPECT_EQ(result.limit["collapse_log2"], 20);
}

TEST_F(EquivalentTest, FindsADifferenceThatStaysInFloat64) {
  add_pair(1e-3);
  const CheckResult result = judge(check_of(Relation::equivalent, {"loss"}), arms);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::different);
  EXPECT_THAT(result.sentence, HasSubstr("by more than rounding"));
}

TEST_F(EquivalentTest, TwinOfOtherUpdates_ShowsNothing) {
  const auto with = [](const char* channel, int64_t fourth, std::vector<double> loss) {
    PlantedRun run = run_of(std::move(loss));
    run.channels[channel] = std::vector<int64_t>{0, 0, 0, fourth, 0, 0, 0, 0, 0, 0};
    return run;
  };
  const std::map<const char*, const char*> sentences = {
      {"update_skipped", "only one of b and its float64 twin skipped update 4"},
      {"batch_digest", "b and its float64 twin read different batches at update 4"}};
  add_pair();
  for (const Relation relation : {Relation::equivalent, Relation::distinct})
    for (const auto& [channel, sentence] : sentences) {
      add_arm("b", with(channel, 1, noisy(u32, 2, true)));
      add_twin("b", with(channel, 0, noisy(u64, 4, false)));
      Check check = check_of(relation, {"loss"});
      EXPECT_EQ(judge(check, arms).verdict, Verdict::missing);
      EXPECT_THAT(judge(check, arms).sentence, HasSubstr(sentence));
      check.steps = {StepWindow::Kind::range, 1, 3};
      EXPECT_NE(judge(check, arms).verdict, Verdict::missing) << "until then the twin is the same run";
      add_twin("b", with(channel, 1, noisy(u64, 4, false)));
      EXPECT_NE(judge(check_of(relation, {"loss"}), arms).verdict, Verdict::missing);
    }
}

TEST_F(EquivalentTest, FindsADifferenceFarBelowFloat32) {
  add_pair(1e-9);
  const CheckResult result = judge(check_of(Relation::equivalent, {"loss"}), arms);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::different);
}

TEST_F(EquivalentTest, FindsADifferenceThatFloat32RoundsAwayEntirely) {
  add_pair();
  add_arm("b", run_of(noisy(u32, 1, true)));
  add_twin("b", run_of(noisy(u64, 4, false, 1e-10)));
  const CheckResult result = judge(check_of(Relation::equivalent, {"loss"}), arms);
  EXPECT_EQ(result.verdict, Verdict::different);
  EXPECT_THAT(result.sentence, HasSubstr("no gap in float32, but"));
}

TEST_F(EquivalentTest, NamesTheFactorOfAScaledNorm) {
  add_pair();
  const auto doubled = [](const std::vector<double>& values) {
    return changed(values, [](size_t, double value) { return 2 * value; });
  };
  add_arm("b", run_of(doubled(noisy(u32, 2, true))));
  add_twin("b", run_of(doubled(noisy(u64, 4, false))));
  EXPECT_THAT(judge(check_of(Relation::equivalent, {"loss"}), arms).looks_like,
              HasSubstr("loss of b is 2 times a's at every step"));
}

TEST_F(EquivalentTest, EqualBitsAreVacuousIfNothingTellsTheArmsApart) {
  const auto same = run_of(noisy(u32, 1, true));
  for (const char* name : {"a", "b"}) {
    add_arm(name, same);
    add_twin(name, run_of(noisy(u64, 3, false)));
  }
  const CheckResult result = judge(check_of(Relation::equivalent, {"loss"}), arms);
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::vacuous);
  EXPECT_THAT(result.sentence, HasSubstr("no effect"));
}

TEST_F(EquivalentTest, EqualBitsPassIfARecordedPathDiffers) {
  for (const char* name : {"a", "b"}) {
    add_arm(name, run_of(noisy(u32, 1, true), name[0] == 'a' ? 100 : 90));
    add_twin(name, run_of(noisy(u64, 3, false)));
  }
  const CheckResult result = judge(check_of(Relation::equivalent, {"loss"}), arms);
  EXPECT_TRUE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::identical);
  EXPECT_THAT(result.sentence, HasSubstr("mask_pairs is 100 in a and 90 in b at step 1"));
}

TEST_F(EquivalentTest, EqualBitsPassIfTheTwinsDifferByRounding) {
  add_pair();
  add_arm("b", run_of(noisy(u32, 1, true)));
  const CheckResult result = judge(check_of(Relation::equivalent, {"loss"}), arms);
  EXPECT_TRUE(result.passed) << result.sentence;
  EXPECT_EQ(result.verdict, Verdict::identical);
  EXPECT_THAT(result.sentence, HasSubstr("the float64 twin of"));
}

TEST_F(EquivalentTest, CountsMustAgreeExactly) {
  add_pair();
  add_arm("b", run_of(noisy(u32, 2, true), 101));
  const CheckResult result = judge(check_of(Relation::equivalent, {"loss", "mask_pairs"}), arms);
  EXPECT_EQ(result.verdict, Verdict::different);
  EXPECT_THAT(result.sentence,
              HasSubstr("mask_pairs of b differs from a's over steps 1-10: counts have no rounding"));
}

TEST_F(EquivalentTest, NanOnBothSidesFails) {
  add_pair();
  auto loss = noisy(u32, 1, true);
  loss[4] = std::numeric_limits<double>::quiet_NaN();
  add_arm("a", run_of(loss));
  add_arm("b", run_of(loss));
  const CheckResult result = judge(check_of(Relation::equivalent, {"loss"}), arms);
  EXPECT_FALSE(result.passed);
  EXPECT_THAT(result.sentence, HasSubstr("loss of a is nan at step 5"));
}

TEST_F(EquivalentTest, WithoutTwinsIsMissing) {
  add_pair();
  arms["b"].twin = nullptr;
  const CheckResult result = judge(check_of(Relation::equivalent, {"loss"}), arms);
  EXPECT_EQ(result.verdict, Verdict::missing);
  EXPECT_THAT(result.sentence, HasSubstr("b has no float64 twin"));
}

TEST_F(EquivalentTest, AFloat64ArmCannotBeJudged) {
  add_pair();
  auto run = run_of(noisy(u64, 1, false));
  run.config = {{"dtype", "float64"}};
  add_arm("a", run);
  EXPECT_THAT(judge(check_of(Relation::equivalent, {"loss"}), arms).sentence,
              HasSubstr("a runs in float64 itself"));
}

/// Gradients of 1,000 elements with the noise of each precision; one element of one tensor may be moved.
class EquivalentTensorsTest : public TwinTest {
 protected:
  static PlantedRun run_of(bool float32, uint64_t seed, bool whole, double moved = 0) {
    PlantedRun run{.channels = {{"loss", std::vector<double>{1}}}};
    run.whole = whole;
    for (const char* name : {"wk.weight", "wq.weight"}) {
      std::vector<float> narrow;
      std::vector<double> wide;
      for (size_t i = 0; i < 1000; ++i) {
        const bool here = i == 777 && std::string(name) == "wq.weight";
        const double value = noise(i, 1, 7) * (1 + noise(i, float32 ? u32 : u64, seed)) + (here ? moved : 0);
        narrow.push_back(static_cast<float>(value));
        wide.push_back(value);
      }
      const trace::TensorKey key{1, trace::Phase::grad, name};
      run.tensors.push_back(float32 ? PlantedTensor{key, narrow, {10, 100}}
                                    : PlantedTensor{key, wide, {10, 100}});
    }
    return run;
  }
  void add(bool whole, double moved) {
    add_arm("a", run_of(true, 1, whole));
    add_arm("b", run_of(true, 2, whole, moved));
    add_twin("a", run_of(false, 3, whole));
    add_twin("b", run_of(false, 4, whole, moved));
  }
};

TEST_F(EquivalentTensorsTest, PassesRoundingWholeAndAsSketches) {
  for (const bool whole : {true, false}) {
    add(whole, 0);
    const CheckResult result = judge(tensor_check_of(Relation::equivalent, "*", trace::Phase::grad), arms);
    EXPECT_TRUE(result.passed) << result.sentence;
    EXPECT_EQ(result.verdict, Verdict::rounding);
    ASSERT_EQ(result.tensors.size(), 2U);
    EXPECT_EQ(result.tensors[0].measured["estimated"], !whole);
    EXPECT_GT(result.tensors[1].measured["collapse_log2"].get<double>(), 26);
  }
}

TEST_F(EquivalentTensorsTest, NamesTheTensorAndElementThatMoved) {
  add(true, 1e-4);
  const CheckResult result = judge(tensor_check_of(Relation::equivalent, "*", trace::Phase::grad), arms);
  EXPECT_EQ(result.verdict, Verdict::different);
  EXPECT_THAT(result.sentence, HasSubstr("grad wq.weight of b differs"));
  EXPECT_THAT(result.sentence, HasSubstr("most at [7, 77]"));
  EXPECT_THAT(result.sentence, HasSubstr("1 of 2 quantities differ"));
}

TEST_F(EquivalentTensorsTest, SketchesFindTheMovedElementToo) {
  add(false, 1e-4);
  const CheckResult result = judge(tensor_check_of(Relation::equivalent, "*", trace::Phase::grad), arms);
  EXPECT_EQ(result.verdict, Verdict::different);
  EXPECT_THAT(result.sentence, HasSubstr("estimated from sketches"));
}

}  // namespace
}  // namespace parity::compare
