// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Every verdict includes what was asked, found and compared: each relation times each way to lose evidence.
#include "harness/compare/checks/coverage.hpp"

#include <limits>
#include <utility>

#include <gmock/gmock.h>

#include "harness/compare/checks/settle.hpp"
#include "harness/compare/relations/relation.hpp"
#include "harness/compare/tensors/gap.hpp"
#include "tests/support/relation_world.hpp"

namespace parity::compare {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

void cut(PlantedRun& run, size_t steps) {
  for (auto& [name, column] : run.channels)
    std::visit([&](auto& values) { values.resize(std::min(values.size(), steps)); }, column);
  std::erase_if(run.tensors,
                [&](const PlantedTensor& each) { return each.key.step > static_cast<int64_t>(steps); });
}

void cut_all(RelationWorld& world, size_t steps) {
  for (auto* runs : {&world.runs, &world.twins})
    for (auto& [name, run] : *runs)
      cut(run, steps);
}

/// Removes w at a step, or everywhere. The channels stay, so that the run has its steps.
void drop_tensor(PlantedRun& run, int64_t step) {
  std::erase_if(run.tensors, [&](const PlantedTensor& each) { return step < 0 || each.key.step == step; });
}

void drop_channel(PlantedRun& run) {
  auto column = run.channels.extract(run.channels.begin());
  column.key() = "other";
  run.channels.insert(std::move(column));
}

/// Puts a value into q and w at a step.
void put(PlantedRun& run, size_t step, double value) {
  curve_of(run).at(step - 1) = value;
  for (PlantedTensor& tensor : run.tensors)
    if (tensor.key.step == static_cast<int64_t>(step))
      std::visit(
          [&](auto& values) { values[0] = static_cast<std::remove_reference_t<decltype(values[0])>>(value); },
          tensor.values);
}

/// One way to lose evidence, or to damage it.
struct Mutation {
  enum class About { everything, channels, tensors, two_arms };
  const char* name;
  About about;
  bool missing;  ///< the verdict if the claim has no evidence
  void (*apply)(RelationWorld&);
};

void PrintTo(const Mutation& mutation, std::ostream* out) {
  *out << mutation.name;
}

using About = Mutation::About;

const Mutation mutations[] = {
    {"BothStopEarly", About::everything, true, [](RelationWorld& w) { cut_all(w, 7); }},
    {"FirstStopsEarly", About::everything, true, [](RelationWorld& w) { cut(w.runs.at("a"), 7); }},
    {"SecondStopsEarly", About::two_arms, true, [](RelationWorld& w) { cut(w.runs.at("b"), 7); }},
    {"TwinsStopEarly", About::two_arms, true,
     [](RelationWorld& w) {
       for (auto& [name, run] : w.twins)
         cut(run, 7);
     }},
    {"FirstLacksChannel", About::channels, true, [](RelationWorld& w) { drop_channel(w.runs.at("a")); }},
    {"SecondLacksChannel", About::two_arms, true, [](RelationWorld& w) { drop_channel(w.runs.at("b")); }},
    {"AllLackChannel", About::channels, true,
     [](RelationWorld& w) {
       for (auto& [name, run] : w.runs)
         drop_channel(run);
     }},
    {"FirstLacksTensorOnce", About::tensors, true, [](RelationWorld& w) { drop_tensor(w.runs.at("a"), 5); }},
    {"SecondLacksTensorOnce", About::two_arms, true,
     [](RelationWorld& w) { drop_tensor(w.runs.at("b"), 5); }},
    {"AllLackTensorOnce", About::tensors, true,
     [](RelationWorld& w) {
       for (auto& [name, run] : w.runs)
         drop_tensor(run, 5);
     }},
    {"AllKeepTensorAtStep1", About::tensors, true,
     [](RelationWorld& w) {
       for (auto& [name, run] : w.runs)
         for (int64_t step = 2; step <= world_steps; ++step)
           drop_tensor(run, step);
     }},
    {"AllLackTensor", About::tensors, true,
     [](RelationWorld& w) {
       for (auto& [name, run] : w.runs)
         drop_tensor(run, -1);
     }},
    {"WindowBeyondRun", About::everything, true,
     [](RelationWorld& w) { w.check.steps = {StepWindow::Kind::range, 11, 12}; }},
    {"WindowIsEmpty", About::everything, true,
     [](RelationWorld& w) { w.check.steps = {StepWindow::Kind::warmup, 0, 0}; }},
    {"LastStepIsLost", About::everything, true,
     [](RelationWorld& w) {
       w.check.steps = {StepWindow::Kind::last, 0, 0};
       cut_all(w, 9);
     }},
    {"RanksAreLost", About::everything, true, [](RelationWorld& w) { w.ranks = 2; }},
    {"FirstIsNan", About::everything, false, [](RelationWorld& w) { put(w.runs.at("a"), 4, nan); }},
    {"SecondIsNan", About::two_arms, false, [](RelationWorld& w) { put(w.runs.at("b"), 4, nan); }},
    {"AllAreNan", About::everything, false,
     [](RelationWorld& w) {
       for (auto* runs : {&w.runs, &w.twins})
         for (auto& [name, run] : *runs)
           put(run, 4, nan);
     }},
    {"FirstIsInfinite", About::everything, false,
     [](RelationWorld& w) { put(w.runs.at("a"), 4, std::numeric_limits<double>::infinity()); }},
    {"SecondIsInfinite", About::two_arms, false,
     [](RelationWorld& w) { put(w.runs.at("b"), 4, -std::numeric_limits<double>::infinity()); }},
};

/// Returns whether a mutation affects what a relation reads.
bool applies(const Mutation& mutation, Relation relation, bool of_tensors) {
  const std::string name = mutation.name;
  if (mutation.about == About::two_arms && row_of(relation).arms == 1)
    return false;
  if (name.find("Twins") != std::string::npos)
    return world_of(relation, of_tensors).check.needs_twins();
  if (name.find("Channel") != std::string::npos)  // repeats names none: one that only one run has differs
    return !world_of(relation, of_tensors).about_tensors() && relation != Relation::repeats;
  if (name.find("Tensor") != std::string::npos)
    return world_of(relation, of_tensors).about_tensors();
  return true;
}

class CoverageTest : public RelationWorldTest,
                     public testing::WithParamInterface<std::tuple<Relation, bool, Mutation>> {};

TEST_P(CoverageTest, LostEvidenceIsNoPass) {
  const auto& [relation, of_tensors, mutation] = GetParam();
  if ((of_tensors && !row_of(relation).may_be_of_tensors()) || !applies(mutation, relation, of_tensors))
    return;  // there is nothing to lose
  RelationWorld world = world_of(relation, of_tensors);
  mutation.apply(world);
  const CheckResult result = judge_world(world);
  EXPECT_FALSE(result.passed) << result.sentence;
  if (mutation.missing) {
    EXPECT_EQ(result.verdict, Verdict::missing) << result.sentence;
  }
  EXPECT_NE(result.verdict, Verdict::identical) << result.sentence;
  EXPECT_NE(result.verdict, Verdict::rounding) << result.sentence;
  EXPECT_THAT(result.sentence, Not(HasSubstr("defect of parity")));
}

std::vector<Relation> all_relations() {
  std::vector<Relation> all;
  for (const RelationRow& row : rows_of_training())
    all.push_back(row.relation);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Relations, CoverageTest,
                         testing::Combine(testing::ValuesIn(all_relations()), testing::Bool(),
                                          testing::ValuesIn(mutations)),
                         [](const auto& info) {
                           return std::string(name_of(std::get<0>(info.param))) +
                                  (std::get<1>(info.param) ? "_Tensor_" : "_Channel_") +
                                  std::get<2>(info.param).name;
                         });

using CoverageTableTest = RelationWorldTest;

/// The meta-test of the table: it fails for a relation that does not report what it compared.
TEST_F(CoverageTableTest, EveryRelationComparesWhatIsAsked) {
  for (const Relation relation : all_relations())
    for (const bool of_tensors : {false, true}) {
      if (of_tensors && !row_of(relation).may_be_of_tensors())
        continue;
      arms.clear();
      const CheckResult result = judge_world(world_of(relation, of_tensors));
      const std::string name(name_of(relation));
      EXPECT_TRUE(result.passed) << name << ": " << result.sentence;
      ASSERT_FALSE(result.coverage.sides.empty()) << name;
      EXPECT_EQ(result.coverage.shortfall(), "") << name;
      for (const CoveredSide& side : result.coverage.sides) {
        EXPECT_EQ(side.asked, side.compared) << name << " of " << side.name;
        EXPECT_EQ(side.asked, side.found) << name << " of " << side.name;
        // A channel and a tensor, or a gradient and a parameter.
        const bool of_two =
            relation == Relation::repeats || world_of(relation, of_tensors).check.of_exact_twins();
        ASSERT_EQ(side.asked.size(), of_two ? 2U : 1U) << name;
        EXPECT_GE(side.asked.begin()->second.count(), world_steps - 1) << name;
      }
    }
}

TEST(CoverageSettleTest, NoRelationPassesWithoutCoverage) {
  CoveredSide asked;
  asked.name = "a";
  asked.asked["q"] = asked.found["q"] = StepSet({1, 2});
  CheckResult claimed;
  claimed.passed = true;
  claimed.verdict = Verdict::identical;
  const CheckResult settled = settle(claimed, {asked});
  EXPECT_FALSE(settled.passed);
  EXPECT_EQ(settled.verdict, Verdict::missing);
  EXPECT_THAT(settled.sentence, HasSubstr("q of a was not compared at steps 1-2"));
  EXPECT_FALSE(settle(claimed, {}).passed);
  EXPECT_FALSE(settle(claimed, {CoveredSide()}).passed) << "0 steps of 0 quantities";
  claimed.coverage.add(0, "q", {1, 2, 3});
  EXPECT_THAT(settle(claimed, {asked}).sentence, HasSubstr("compared at step 3"));
}

TEST(CoverageSettleTest, ResultsShowWhatWasCompared) {
  Coverage coverage;
  coverage.add_pair("loss", {1, 2, 3});
  coverage.add_pair("lr", {1, 2, 3});
  EXPECT_EQ(coverage.text(), "2 channels at steps 1-3");
  const results::CoveredAmount compared = coverage.summary().sides.at(1).compared;
  EXPECT_EQ(compared.quantities, 2);
  EXPECT_EQ(compared.steps, "steps 1-3");
  EXPECT_EQ(compared.values, 6);
  EXPECT_EQ(Coverage().text(), "nothing");
}

TEST(TensorGapTest, SketchesOfWidthZeroEstimateNothing) {
  trace::SketchRow one, other;
  one.shape = other.shape = {4};
  other.digest.low = 1;
  const TensorSource expected{one.key, &one, nullptr}, actual{other.key, &other, nullptr};
  const TensorGap gap = measure_tensor(expected, actual);
  EXPECT_FALSE(gap.identical);
  EXPECT_TRUE(std::isnan(gap.gap));
  EXPECT_THAT(gap.mismatch, HasSubstr("no values to subtract"));
  EXPECT_TRUE(std::isnan(tensor_distance(expected, actual)));
}

using TensorOrderTest = RelationWorldTest;

/// Ten steps against five: whichever arm comes first.
TEST_F(TensorOrderTest, ShorterArmIsMissingInEitherOrder) {
  for (const bool planned : {true, false})
    for (const char* shorter : {"a", "b"}) {
      RelationWorld world = world_of(Relation::identical, true);
      cut(world.runs.at(shorter), 5);
      if (!planned)
        world.updates = {};
      const CheckResult result = judge_world(world);
      EXPECT_EQ(result.verdict, Verdict::missing) << shorter << ": " << result.sentence;
    }
}

/// Steps that a check names were asked for, even if a trainer does not state how long it trains.
TEST_F(TensorOrderTest, ATensorRecordedAtOneOfTheNamedStepsIsMissing) {
  for (const bool planned : {true, false}) {
    RelationWorld world = world_of(Relation::identical, true);
    world.check.steps = {StepWindow::Kind::range, 1, world_steps};
    for (const char* arm : {"a", "b"})
      std::erase_if(world.runs.at(arm).tensors, [](const PlantedTensor& each) { return each.key.step > 1; });
    if (!planned)
      world.updates = {};
    const CheckResult result = judge_world(world);
    EXPECT_EQ(result.verdict, Verdict::missing) << result.sentence;
  }
}

TEST_F(TensorOrderTest, ALagLeavesOutOnlyWhatItPushesOut) {
  RelationWorld world = world_of(Relation::lagged, true);
  const CheckResult held = judge_world(world);
  EXPECT_TRUE(held.passed) << held.sentence;
  EXPECT_EQ(held.coverage.sides.at(0).compared.at("param w").text(), "steps 1-9");
  EXPECT_EQ(held.coverage.sides.at(1).compared.at("param w").text(), "steps 2-10");
  cut(world.runs.at("b"), 9);
  EXPECT_EQ(judge_world(world).verdict, Verdict::missing);
}

}  // namespace
}  // namespace parity::compare
