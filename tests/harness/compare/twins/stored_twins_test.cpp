// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "harness/compare/judged_values.hpp"
#include "tests/support/traces/twin_runs.hpp"

namespace parity::compare {
namespace {

using testing::HasSubstr;

/// Twins that ran once, and arms that are judged again without them.
class StoredTwinsTest : public TwinTest {
 protected:
  CheckResult judged_again(const Check& check) {
    const CheckResult first = judge(check, arms);
    EXPECT_TRUE(first.twins) << first.sentence;
    std::map<std::string, ArmEvidence> alone = arms;
    for (auto& [name, arm] : alone)
      arm.twin = nullptr;
    return judge(check, alone, first.twins ? &*first.twins : nullptr);
  }
  void expect_the_same(const Check& check) {
    const CheckResult first = judge(check, arms), again = judged_again(check);
    EXPECT_EQ(again.passed, first.passed);
    EXPECT_EQ(again.verdict, first.verdict);
    EXPECT_EQ(again.sentence, first.sentence);
    EXPECT_EQ(again.measured, first.measured);
    EXPECT_EQ(again.limit, first.limit);
    EXPECT_EQ(again.tensors, first.tensors);
    EXPECT_EQ(again.twins, first.twins);
  }
  static PlantedRun tensors_of(double size, uint64_t seed, bool float32, bool whole = true) {
    PlantedRun run{.channels = {{"loss", std::vector<double>{8, 7, 6}}}};
    for (int64_t step = 1; step <= 3; ++step) {
      std::vector<double> wide;
      for (size_t i = 0; i < 200; ++i)
        wide.push_back((1 + noise(i, 0.5)) * (1 + noise(i, size, seed + static_cast<uint64_t>(step))));
      if (float32)
        run.tensors.push_back(
            {{step, trace::Phase::grad, "layers.0.wq.weight"}, std::vector<float>(wide.begin(), wide.end())});
      else
        run.tensors.push_back({{step, trace::Phase::grad, "layers.0.wq.weight"}, wide});
    }
    run.whole = whole;
    return run;
  }
  void add_tensor_pair() {
    add_arm("a", tensors_of(u32, 1, true));
    add_arm("b", tensors_of(u32, 20, true));
    add_twin("a", tensors_of(u64, 40, false));
    add_twin("b", tensors_of(u64, 60, false));
  }
  std::vector<std::string> digests(const Check& check) {
    return judged_digests(check, arms).value_or(std::vector<std::string>());
  }
};

TEST_F(StoredTwinsTest, GiveTheVerdictThatTheTwinsGave) {
  add_pair();
  expect_the_same(check_of(Relation::equivalent, {"loss"}));
  add_pair(1e-3);
  expect_the_same(check_of(Relation::equivalent, {"loss"}));
  expect_the_same(check_of(Relation::distinct, {"loss"}));
  add_tensor_pair();
  expect_the_same(tensor_check_of(Relation::equivalent, "*", trace::Phase::grad));
  expect_the_same(tensor_check_of(Relation::distinct, "*", trace::Phase::grad));
}

TEST_F(StoredTwinsTest, KeepThePathThatOnlyTheTwinsShow) {
  const std::vector<double> same = noisy(u32, 1, true);
  add_arm("a", run_of(same));
  add_arm("b", run_of(same));
  add_twin("a", run_of(noisy(u64, 3, false)));
  add_twin("b", run_of(noisy(u64, 4, false)));
  const Check check = check_of(Relation::equivalent, {"loss"});
  EXPECT_EQ(judge(check, arms).verdict, Verdict::identical);
  EXPECT_THAT(judge(check, arms).twins->other_path, HasSubstr("float64 twin"));
  expect_the_same(check);
}

TEST_F(StoredTwinsTest, AreMissingWhereTheyLackTheQuantity) {
  add_pair();
  TwinEvidence other = *judge(check_of(Relation::equivalent, {"loss"}), arms).twins;
  other.measures.front().quantity = "grad_norm";
  EXPECT_EQ(judge(check_of(Relation::equivalent, {"loss"}), arms, &other).verdict, Verdict::missing);
}

TEST_F(StoredTwinsTest, AreRefusedWhereTheyHaveOtherSteps) {
  add_pair();
  TwinEvidence cut = *judge(check_of(Relation::equivalent, {"loss"}), arms).twins;
  cut.measures.front().noise.pop_back();
  EXPECT_FALSE(judge(check_of(Relation::equivalent, {"loss"}), arms, &cut).passed);
}

TEST_F(StoredTwinsTest, AreNoneWhereNoTwinIsNeeded) {
  add_pair();
  EXPECT_FALSE(judge(check_of(Relation::identical, {"mask_pairs"}), arms).twins);
}

using JudgedDigestTest = StoredTwinsTest;

TEST_F(JudgedDigestTest, ChangesWithOneUlpInsideTheWindowOnly) {
  add_pair();
  Check check = check_of(Relation::equivalent, {"loss"});
  check.steps = range(2, 5);
  const auto before = digests(check);
  ASSERT_EQ(before.size(), 2U);
  const auto with_ulp_at = [&](size_t at) {
    add_arm("b", run_of(changed(noisy(u32, 2, true), [&](size_t i, double value) {
              return i == at ? one_ulp_up(value) : value;
            })));
    return digests(check);
  };
  EXPECT_EQ(with_ulp_at(7), before) << "step 8 is not judged";
  const auto after = with_ulp_at(3);
  EXPECT_EQ(after[0], before[0]);
  EXPECT_NE(after[1], before[1]);
}

TEST_F(JudgedDigestTest, OfTensorsIsTheSameWholeOrAsASketch) {
  add_tensor_pair();
  const Check check = tensor_check_of(Relation::equivalent, "*", trace::Phase::grad);
  const auto whole = digests(check);
  ASSERT_EQ(whole.size(), 2U);
  add_arm("a", tensors_of(u32, 1, true, false));
  add_arm("b", tensors_of(u32, 20, true, false));
  EXPECT_EQ(digests(check), whole);
  add_arm("b", tensors_of(u32, 21, true));
  EXPECT_NE(digests(check)[1], whole[1]);
}

TEST_F(JudgedDigestTest, IsNoneOfWhatIsNotThere) {
  add_pair();
  EXPECT_TRUE(digests(check_of(Relation::equivalent, {"grad_norm"})).empty());
  EXPECT_TRUE(digests(tensor_check_of(Relation::equivalent, "*", trace::Phase::grad)).empty());
  arms["b"].crashed = true;
  EXPECT_TRUE(digests(check_of(Relation::equivalent, {"loss"})).empty());
  arms.erase("b");
  EXPECT_TRUE(digests(check_of(Relation::equivalent, {"loss"})).empty());
}

TEST(CheckDigestTest, ChangesWithEveryWordOfTheCheck) {
  Check base;
  base.channels = {"loss"};
  base.arms = {"a", "b"};
  base.relation = Relation::equivalent;
  std::vector<Check> all(15, base);
  all[1].channels = {"loss", "lr"};
  all[2].channels = {};
  all[2].tensor = "loss";
  all[3].phase = trace::Phase::grad;
  all[4].arms = {"b", "a"};
  all[5].relation = Relation::distinct;
  all[6].lag = 2;
  all[7].tolerance = 0.0;
  all[8].tolerance = 1e-5;
  all[9].steps = {StepWindow::Kind::range, 1, 2};
  all[10].steps = {StepWindow::Kind::last, 0, 0};
  all[11].because = "another reason";
  all[12].precision = DType::bfloat16;
  all[13].imprecision = 2;
  all[14].imprecision_because = "a reason";
  std::set<std::string> digests;
  for (const Check& check : all)
    digests.insert(check_digest(check));
  EXPECT_EQ(digests.size(), all.size());
}

}  // namespace
}  // namespace parity::compare
