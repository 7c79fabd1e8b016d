// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/operators/judge/judge.hpp"

#include <limits>

#include <gmock/gmock.h>

#include "tests/harness/operators/operator_world.hpp"

namespace parity::operators {
namespace {

using compare::Relation;
using compare::Verdict;
using testing::HasSubstr;
using trace::Phase;

class OperatorJudgeTest : public OperatorWorldTest {};

TEST_F(OperatorJudgeTest, Rounding_IsRounding) {
  const auto result = judged();
  EXPECT_TRUE(result.passed) << result.sentence;
  EXPECT_EQ(result.verdict, Verdict::rounding);
  EXPECT_THAT(result.sentence, HasSubstr("differ only by rounding at 2 points"));
  ASSERT_TRUE(result.errors);
  EXPECT_EQ(result.errors->rows.size(), 4U);
}

TEST_F(OperatorJudgeTest, SentenceNamesThePoint) {
  for (auto* run : {&runs["b"]})
    floats(*run, 1, Phase::forward, "y")[5] *= 1.01F;
  doubles(twins["b"], 1, Phase::forward, "y")[5] *= 1.01;
  const auto result = judged();
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::different);
  EXPECT_THAT(result.sentence,
              HasSubstr("y at n = 3, float32 of b differs from a's by more than rounding, at 1 of 2"));
  EXPECT_EQ(result.worst->point, "n = 3, float32");
  EXPECT_EQ(result.worst->index, (std::vector<int64_t>{1, 1}));
}

TEST_F(OperatorJudgeTest, SmallShapeIsNotHiddenByLargeOne) {
  for (float& value : floats(runs["a"], 2, Phase::forward, "y"))
    value *= 0x1p40F;
  for (float& value : floats(runs["b"], 2, Phase::forward, "y"))
    value *= 0x1p40F;
  for (const char* arm : {"a", "b"})
    for (double& value : doubles(twins[arm], 2, Phase::forward, "y"))
      value *= 0x1p40;
  floats(runs["b"], 1, Phase::forward, "y")[0] += 0.5F;
  doubles(twins["b"], 1, Phase::forward, "y")[0] += 0.5;
  const auto result = judged();
  EXPECT_EQ(result.verdict, Verdict::different);
  EXPECT_EQ(result.worst->point, "n = 3, float32");
}

TEST_F(OperatorJudgeTest, LossInFloat32Alone_IsImprecise) {
  floats(runs["b"], 2, Phase::grad, "x")[3] *= 1.001F;
  const auto result = judged();
  EXPECT_EQ(result.verdict, Verdict::imprecise);
  EXPECT_THAT(result.sentence, HasSubstr("gradient of x at n = 5, float32"));
}

TEST_F(OperatorJudgeTest, Nan_AgreesWithNothing) {
  for (const char* arm : {"a", "b"}) {
    floats(runs[arm], 2, Phase::forward, "y")[7] = std::numeric_limits<float>::quiet_NaN();
    doubles(twins[arm], 2, Phase::forward, "y")[7] = std::numeric_limits<double>::quiet_NaN();
  }
  for (const Relation relation : {Relation::equivalent, Relation::identical, Relation::distinct}) {
    check.relation = relation;
    EXPECT_FALSE(judged().passed) << name_of(relation);
  }
}

TEST_F(OperatorJudgeTest, MissingPoint_IsMissing) {
  for (auto* run : {&runs["b"], &twins["b"]}) {
    std::erase_if(run->tensors, [](const PlantedTensor& tensor) { return tensor.key.step == 2; });
    run->channels["forward y"] = std::vector<double>{1};
  }
  const auto result = judged();
  EXPECT_EQ(result.verdict, Verdict::missing);
  EXPECT_THAT(result.sentence, HasSubstr("b has no result at n = 5, float32"));
}

TEST_F(OperatorJudgeTest, MissingGradient_IsMissing) {
  std::erase_if(runs["b"].tensors, [](const PlantedTensor& tensor) {
    return tensor.key == trace::TensorKey{2, Phase::grad, "x"};
  });
  EXPECT_THAT(judged().sentence, HasSubstr("b has no grad x at n = 5, float32"));
}

TEST_F(OperatorJudgeTest, NothingRecorded_IsMissing) {
  for (auto& [name, run] : runs)
    std::erase_if(run.tensors, [](const PlantedTensor& tensor) { return tensor.key.phase != Phase::input; });
  EXPECT_EQ(judged().verdict, Verdict::missing);
}

TEST_F(OperatorJudgeTest, OtherInputs_AreMissing) {
  floats(runs["b"], 1, Phase::input, "x")[0] += 1;
  EXPECT_THAT(judged().sentence, HasSubstr("had different inputs x at n = 3, float32"));
}

TEST_F(OperatorJudgeTest, TraceOfAnotherSweep_IsMissing) {
  problem.points[1].sizes["n"] = 6;
  EXPECT_THAT(judged().sentence, HasSubstr("not of this sweep"));
}

TEST_F(OperatorJudgeTest, Crash_IsCrashed) {
  arms["b"].crashed = true;
  arms["b"].failure = "case:b was killed by SIGSEGV, at n = 5, float32";
  const auto result = judged();
  EXPECT_EQ(result.verdict, Verdict::crashed);
  EXPECT_EQ(result.sentence, arms["b"].failure);
}

TEST_F(OperatorJudgeTest, SameBitsEverywhere_AreVacuous) {
  runs["b"] = runs["a"];
  twins["b"] = twins["a"];
  EXPECT_EQ(judged().verdict, Verdict::vacuous);
  check.relation = Relation::identical;
  EXPECT_TRUE(judged().passed);
}

TEST_F(OperatorJudgeTest, RightAnswerOfZeros_IsVacuous) {
  for (auto* side : {&runs, &twins})
    for (const char* arm : {"a", "b"})
      for (PlantedTensor& tensor : side->at(arm).tensors)
        if (tensor.key.phase != Phase::input)
          std::visit([](auto& list) { std::ranges::fill(list, 0); }, tensor.values);
  check.relation = Relation::identical;
  const auto result = judged();
  EXPECT_EQ(result.verdict, Verdict::vacuous);
  EXPECT_THAT(result.sentence, HasSubstr("zeros"));
}

TEST_F(OperatorJudgeTest, LooseClaim_NamesTheControlItPasses) {
  check.imprecision = 1e9;
  check.relation = Relation::equivalent;
  check.of_operator->phases = {Phase::forward};
  for (const auto& [arm, step] : {std::pair{"a", 1e-6F}, {"b", 2e-6F}})  // rows that are nearly equal
    for (int64_t point = 1; point <= 2; ++point)
      for (size_t i = 0; i < floats(runs[arm], point, Phase::forward, "y").size(); ++i)
        floats(runs[arm], point, Phase::forward, "y")[i] = 1 + step * static_cast<float>(i / 4);
  twins.clear();
  check.of_operator->exact = "exact";
  for (int64_t point = 1; point <= 2; ++point)
    std::ranges::fill(doubles(runs["exact"], point, Phase::forward, "y"), 1.0);
  const auto result = judged();
  EXPECT_EQ(result.verdict, Verdict::vacuous) << result.sentence;
  EXPECT_THAT(
      result.sentence,
      HasSubstr(
          "also passes an output left unwritten (memory of another call) in place of forward y at n = 3"));
}

TEST_F(OperatorJudgeTest, Accurate_HoldsOrNamesTheLoss) {
  check.relation = Relation::accurate;
  check.arms = {"a"};
  check.of_operator->exact = "exact";
  check.of_operator->ulp = 4;
  EXPECT_TRUE(judged().passed);
  floats(runs["a"], 2, Phase::forward, "y")[2] *= 1 + 0x1p-16F;
  const auto result = judged();
  EXPECT_EQ(result.verdict, Verdict::imprecise);
  EXPECT_THAT(result.sentence, HasSubstr("y at n = 5, float32 of a is less accurate than claimed"));
}

TEST_F(OperatorJudgeTest, KnownLoss_FailsOnceItIsGone) {
  check.relation = Relation::accurate;
  check.arms = {"a"};
  check.of_operator->exact = "exact";
  check.of_operator->ulp_at_least = 100;
  const auto result = judged();
  EXPECT_FALSE(result.passed);
  EXPECT_THAT(result.sentence, HasSubstr("which did not occur"));
}

TEST_F(OperatorJudgeTest, Invariant_ComparesLeadingRows) {
  check.relation = Relation::invariant;
  check.arms = {"a"};
  check.of_operator->phases = {Phase::forward};
  check.of_operator->axis = "batch";
  EXPECT_EQ(judged().verdict, Verdict::missing) << "no other call was recorded";
  for (int64_t point = 1; point <= 2; ++point) {
    const std::vector<float> whole = floats(runs["a"], point, Phase::forward, "y");
    runs["a"].tensors.push_back(
        {{point, Phase::forward, "y@batch.0"}, std::vector(whole.begin(), whole.begin() + 4), Shape{1, 4}});
  }
  EXPECT_TRUE(judged().passed);
  floats(runs["a"], 2, Phase::forward, "y@batch.0")[1] *= 1 + 0x1p-23F;
  const auto result = judged();
  EXPECT_EQ(result.verdict, Verdict::different);
  EXPECT_THAT(result.sentence,
              HasSubstr("depends on batch, at 1 of 2 points: 1 of 4 elements differ, first [0, 1]"));
}

TEST_F(OperatorJudgeTest, Invariant_NeedsGradientsOfRows) {
  check.relation = Relation::invariant;
  check.arms = {"a"};
  check.of_operator->axis = "batch";
  problem.batch = "n";
  runs["a"].config["operator"]["problem"] = problem.to_json();
  for (int64_t point = 1; point <= 2; ++point)
    runs["a"].tensors.push_back({{point, Phase::forward, "y@batch.0"},
                                 floats(runs["a"], point, Phase::forward, "y"),
                                 Shape{point == 1 ? 3 : 5, 4}});
  const auto result = judged();
  EXPECT_EQ(result.verdict, Verdict::missing);
  EXPECT_EQ(result.sentence, "a computed no grad x along batch at n = 3, float32");
  problem.batch = "another";  // x adds over these rows
  runs["a"].config["operator"]["problem"] = problem.to_json();
  EXPECT_TRUE(judged().passed);
}

TEST_F(OperatorJudgeTest, Distinct_NeedsADifference) {
  check.relation = Relation::distinct;
  EXPECT_FALSE(judged().passed);
  for (float& value : floats(runs["b"], 2, Phase::forward, "y"))
    value *= 1.01F;
  for (double& value : doubles(twins["b"], 2, Phase::forward, "y"))
    value *= 1.01;
  const auto result = judged();
  EXPECT_TRUE(result.passed) << result.sentence;
  EXPECT_EQ(result.verdict, Verdict::different);
}

TEST_F(OperatorJudgeTest, NoTwinAndNoExact_IsMissing) {
  twins.clear();
  EXPECT_EQ(judged().verdict, Verdict::missing);
}

}  // namespace
}  // namespace parity::operators
