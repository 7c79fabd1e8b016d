// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gmock/gmock.h>

#include "tests/harness/compare/relations/function_fixture.hpp"

namespace parity::compare {
namespace {

using testing::HasSubstr;
using trace::Phase;
using SameFunctionTest = FunctionTest;

TEST_F(SameFunctionTest, EqualResidues_AreTheSameFunction) {
  PlantedRun other = twin();
  other.channels["loss"] = std::vector<double>{3, 2.0000001};  // values round
  const CheckResult result = judge_twins(twin(), other);
  EXPECT_TRUE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::identical);
  EXPECT_EQ(
      result.sentence,
      "b and a compute the same function: equal residues in 8 tensors (gradients, moments and parameters) "
      "over steps 1-2");
  EXPECT_EQ(result.coverage.text(), "4 tensors at steps 1-2");
}

TEST_F(SameFunctionTest, OneResidue_IsAnotherFunction) {
  const CheckResult result = judge_twins(twin(), changed(2, 1));
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(result.verdict, Verdict::different);
  EXPECT_EQ(
      result.sentence,
      "b and a compute different functions: 1 of 8 tensors have other residues over steps 1-2, first grad v "
      "at step 2");
  ASSERT_TRUE(result.worst);
  EXPECT_EQ(result.worst->step, 2);
  EXPECT_EQ(result.worst->quantity, "v");
}

TEST_F(SameFunctionTest, OtherDecisionBefore_IsToldFirst) {
  const auto routed = [](PlantedRun run, std::vector<int64_t> digests) {
    run.channels["routing_digest"] = std::move(digests);
    return run;
  };
  const CheckResult told = judge_twins(routed(twin(), {7, 8}), routed(changed(2, 0), {7, 9}));
  EXPECT_EQ(told.verdict, Verdict::missing);
  EXPECT_THAT(told.sentence, HasSubstr("a and b decide differently at step 2 (routing_digest)"));
  for (const PlantedRun& earlier : {changed(1, 0), changed(1, 3)})
    EXPECT_EQ(judge_twins(routed(twin(), {7, 8}), routed(earlier, {7, 9})).verdict, Verdict::different)
        << "a decision of step 2 does not explain step 1";
  EXPECT_EQ(judge_twins(routed(twin(), {7, 8}), routed(changed(2, 0), {7, 8})).verdict, Verdict::different);
  EXPECT_EQ(judge_twins(routed(twin(), {7, 8}), routed(twin(), {7, 9})).verdict, Verdict::identical);
}

TEST_F(SameFunctionTest, FirstPhaseThatDiffers_NamesThePart) {
  EXPECT_THAT(judge_twins(twin(), changed(1, 1)).looks_like, HasSubstr("1 of 2 gradients differ"));
  EXPECT_THAT(judge_twins(twin(), changed(1, 2)).looks_like, HasSubstr("the optimizer's constants"));
  EXPECT_THAT(judge_twins(twin(), changed(1, 3)).looks_like, HasSubstr("learning rate"));
}

TEST_F(SameFunctionTest, LackingTensor_IsMissingForBothRelations) {
  PlantedRun shorter = changed(1, 0);
  shorter.tensors.pop_back();
  for (const Relation relation : {Relation::same_function, Relation::other_function}) {
    const CheckResult result = judge_twins(twin(), shorter, relation);
    EXPECT_FALSE(result.passed) << name_of(relation);
  }
  EXPECT_THAT(judge_twins(twin(), shorter, Relation::other_function).sentence,
              HasSubstr("b has no param w at step 2"));
}

TEST_F(SameFunctionTest, UpdateThatNeitherRecorded_IsMissing) {
  PlantedRun one = twin();
  one.tensors.erase(one.tensors.begin() + 4, one.tensors.end());
  const CheckResult result = judge_twins(one, one);
  EXPECT_EQ(result.verdict, Verdict::missing);
  EXPECT_THAT(result.sentence, HasSubstr("at step 2"));
}

TEST_F(SameFunctionTest, LossThatIsNotANumber_ProvesNothing) {
  PlantedRun bad = twin();
  bad.channels["loss"] = std::vector<double>{3, std::nan("")};
  const CheckResult result = judge_twins(bad, bad);
  EXPECT_EQ(result.verdict, Verdict::missing);
  EXPECT_THAT(result.sentence, HasSubstr("loss of a is nan at step 2"));
}

TEST_F(SameFunctionTest, NoGradient_ProvesNothing) {
  PlantedRun state = twin();
  std::erase_if(state.tensors, [](const PlantedTensor& each) { return each.key.phase == Phase::grad; });
  EXPECT_THAT(judge_twins(state, state).sentence, HasSubstr("no grad in common"));
}

TEST_F(SameFunctionTest, FloatTraces_HaveNoResidues) {
  PlantedRun ordinary = twin();
  ordinary.config["dtype"] = "float32";
  const CheckResult result = judge_twins(ordinary, ordinary);
  EXPECT_EQ(result.verdict, Verdict::missing);
  EXPECT_THAT(result.sentence, HasSubstr("its dtype is float32"));
}

TEST_F(SameFunctionTest, FloatTensorsOfAnExactTwin_AreRefused) {
  PlantedRun values = twin();
  for (PlantedTensor& each : values.tensors)
    each.values = std::vector<float>{1, 2, 3, 4};
  const CheckResult result = judge_twins(values, values);
  EXPECT_EQ(result.verdict, Verdict::missing);
  EXPECT_THAT(result.sentence, HasSubstr("no residues of grad w"));
}

TEST_F(SameFunctionTest, OtherDraw_CannotBeCompared) {
  PlantedRun other = changed(1, 0);
  other.provenance["residues"]["fingerprint"] = "6";
  for (const Relation relation : {Relation::same_function, Relation::other_function}) {
    const CheckResult result = judge_twins(twin(), other, relation);
    EXPECT_EQ(result.verdict, Verdict::missing);
    EXPECT_THAT(result.sentence, HasSubstr("PARITY_EXACT_KEY"));
  }
}

TEST_F(SameFunctionTest, ArmWithoutExactTwin_IsMissing) {
  judge_twins(twin(), twin());
  arms["b"].exact = nullptr;
  Check check;
  check.relation = Relation::same_function;
  check.arms = {"a", "b"};
  const CheckResult result = judge(check, arms);
  EXPECT_EQ(result.verdict, Verdict::missing);
  EXPECT_THAT(result.sentence, HasSubstr("b has no exact twin"));
}

TEST_F(SameFunctionTest, TwinThatDidNotFinish_IsCrashed) {
  PlantedRun refused = twin();
  refused.failure = {{"kind", "crashed"}, {"message", "aten::erfinv has no exact form"}};
  const CheckResult result = judge_twins(twin(), refused);
  EXPECT_EQ(result.verdict, Verdict::crashed);
  EXPECT_THAT(result.sentence, HasSubstr("aten::erfinv"));
}

}  // namespace
}  // namespace parity::compare
