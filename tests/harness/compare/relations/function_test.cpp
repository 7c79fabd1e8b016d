// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/support/traces/planted_runs.hpp"

namespace parity::compare {
namespace {

using testing::HasSubstr;
using trace::Phase;

/// Exact twins of two updates, of which each has residues of one gradient, one moment and one parameter.
class FunctionTest : public PlantedTest {
 protected:
  using Residues = std::vector<uint64_t>;

  static PlantedRun twin() {
    PlantedRun run;
    run.config = {{"dtype", "exact"}};
    run.provenance = {{"residues", {{"prime", "13"}, {"fingerprint", "5"}}}};
    run.channels["loss"] = std::vector<double>{3, 2};
    for (int64_t step = 1; step <= 2; ++step)
      for (const auto& [phase, name] : {std::pair{Phase::grad, "w"},
                                        {Phase::grad, "v"},
                                        {Phase::optim, "exp_avg/w"},
                                        {Phase::param, "w"}})
        run.tensors.push_back({{step, phase, name}, Residues{1, 2, 3, 4}});
    return run;
  }
  /// Returns a twin with another residue. \param i  the tensor among those of an update
  static PlantedRun changed(int64_t step, size_t i) {
    PlantedRun run = twin();
    run.tensors.at(static_cast<size_t>(step - 1) * 4 + i).values = Residues{1, 2, 3, 5};
    return run;
  }

  CheckResult judge_twins(const PlantedRun& a, const PlantedRun& b,
                          Relation relation = Relation::same_function, int64_t updates = 2) {
    Check check;
    check.relation = relation;
    check.arms = {"a", "b"};
    check.steps = range(1, 2);
    for (const auto& [name, run] : {std::pair{"a", &a}, {"b", &b}}) {
      exact_[name].trace = written(name, *run);
      exact_[name].updates = {1, updates};
      arms[name].exact = &exact_[name];
    }
    return judge(check, arms);
  }

 private:
  std::map<std::string, ArmEvidence> exact_;
};

TEST_F(FunctionTest, EqualResidues_AreTheSameFunction) {
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

TEST_F(FunctionTest, OneResidue_IsAnotherFunction) {
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

TEST_F(FunctionTest, FirstPhaseThatDiffers_NamesThePart) {
  EXPECT_THAT(judge_twins(twin(), changed(1, 1)).looks_like, HasSubstr("1 of 2 gradients differ"));
  EXPECT_THAT(judge_twins(twin(), changed(1, 2)).looks_like, HasSubstr("the optimizer's constants"));
  EXPECT_THAT(judge_twins(twin(), changed(1, 3)).looks_like, HasSubstr("learning rate"));
}

TEST_F(FunctionTest, OtherFunction_IsTheOpposite) {
  EXPECT_TRUE(judge_twins(twin(), changed(1, 3), Relation::other_function).passed);
  const CheckResult result = judge_twins(twin(), twin(), Relation::other_function);
  EXPECT_FALSE(result.passed);
  EXPECT_THAT(result.sentence, HasSubstr("has no effect"));
}

TEST_F(FunctionTest, LackingTensor_IsMissingForBothRelations) {
  PlantedRun shorter = changed(1, 0);
  shorter.tensors.pop_back();
  for (const Relation relation : {Relation::same_function, Relation::other_function}) {
    const CheckResult result = judge_twins(twin(), shorter, relation);
    EXPECT_FALSE(result.passed) << name_of(relation);
  }
  EXPECT_THAT(judge_twins(twin(), shorter, Relation::other_function).sentence,
              HasSubstr("b has no param w at step 2"));
}

TEST_F(FunctionTest, UpdateThatNeitherRecorded_IsMissing) {
  PlantedRun one = twin();
  one.tensors.resize(4);
  const CheckResult result = judge_twins(one, one);
  EXPECT_EQ(result.verdict, Verdict::missing);
  EXPECT_THAT(result.sentence, HasSubstr("at step 2"));
}

TEST_F(FunctionTest, NoGradient_ProvesNothing) {
  PlantedRun state = twin();
  std::erase_if(state.tensors, [](const PlantedTensor& each) { return each.key.phase == Phase::grad; });
  EXPECT_THAT(judge_twins(state, state).sentence, HasSubstr("no grad in common"));
}

TEST_F(FunctionTest, FloatTraces_HaveNoResidues) {
  PlantedRun ordinary = twin();
  ordinary.config["dtype"] = "float32";
  const CheckResult result = judge_twins(ordinary, ordinary);
  EXPECT_EQ(result.verdict, Verdict::missing);
  EXPECT_THAT(result.sentence, HasSubstr("its dtype is float32"));
}

TEST_F(FunctionTest, FloatTensorsOfAnExactTwin_AreRefused) {
  PlantedRun values = twin();
  for (PlantedTensor& each : values.tensors)
    each.values = std::vector<float>{1, 2, 3, 4};
  const CheckResult result = judge_twins(values, values);
  EXPECT_EQ(result.verdict, Verdict::missing);
  EXPECT_THAT(result.sentence, HasSubstr("no residues of grad w"));
}

TEST_F(FunctionTest, OtherDraw_CannotBeCompared) {
  PlantedRun other = changed(1, 0);
  other.provenance["residues"]["fingerprint"] = "6";
  for (const Relation relation : {Relation::same_function, Relation::other_function}) {
    const CheckResult result = judge_twins(twin(), other, relation);
    EXPECT_EQ(result.verdict, Verdict::missing);
    EXPECT_THAT(result.sentence, HasSubstr("PARITY_EXACT_KEY"));
  }
}

TEST_F(FunctionTest, ArmWithoutExactTwin_IsMissing) {
  judge_twins(twin(), twin());
  arms["b"].exact = nullptr;
  Check check;
  check.relation = Relation::same_function;
  check.arms = {"a", "b"};
  const CheckResult result = judge(check, arms);
  EXPECT_EQ(result.verdict, Verdict::missing);
  EXPECT_THAT(result.sentence, HasSubstr("b has no exact twin"));
}

TEST_F(FunctionTest, TwinThatDidNotFinish_IsCrashed) {
  PlantedRun refused = twin();
  refused.failure = {{"kind", "crashed"}, {"message", "aten::erfinv has no exact form"}};
  const CheckResult result = judge_twins(twin(), refused);
  EXPECT_EQ(result.verdict, Verdict::crashed);
  EXPECT_THAT(result.sentence, HasSubstr("aten::erfinv"));
}

}  // namespace
}  // namespace parity::compare
