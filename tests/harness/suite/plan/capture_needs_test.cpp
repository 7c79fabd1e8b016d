// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/capture_needs.hpp"

#include <algorithm>
#include <set>

#include "tests/harness/suite/plan/plan_fixture.hpp"

namespace parity::suite {
namespace {

using CaptureNeedsTest = PlanTest;

TEST_F(CaptureNeedsTest, BitsNeedDigests_GapsNeedTensorsOnTwinsToo) {
  const std::string golden = "[golden]\narms = []\n";
  add(arms("", "lr.base = 1.0") + golden +
      check("tensor = \"wq\"\nphase = \"grad\"", "identical", "steps = [2, 3]"));
  EXPECT_TRUE(run(0).capture.wants_sketch(2, trace::Phase::grad, "wq"));
  EXPECT_FALSE(run(0).capture.wants_tensor(2, trace::Phase::grad, "wq"));
  EXPECT_FALSE(run(0).capture.wants_sketch(4, trace::Phase::grad, "wq"));
  plan_ = make_plan("program 1");
  add(arms("", "lr.base = 1.0") + golden +
      check("tensor = \"wq\"\nphase = \"grad\"", "equivalent", "steps = \"last\""));
  for (const PlannedRun* each : {&run(1), &twin(1)}) {
    EXPECT_TRUE(each->capture.wants_tensor(10, trace::Phase::grad, "wq"));
    EXPECT_FALSE(each->capture.wants_tensor(9, trace::Phase::grad, "wq"));
    EXPECT_FALSE(each->capture.wants_tensor(10, trace::Phase::param, "wq"));
  }
}

TEST_F(CaptureNeedsTest, UnchangedNeedsTheStepBefore) {
  add(arms("", "lr.base = 1.0") + check("tensor = \"*\"", "unchanged", "arms = [\"a\"]\nsteps = [1, 1]"));
  EXPECT_TRUE(run(0).capture.wants_sketch(0, trace::Phase::param, "x"));
  EXPECT_FALSE(run(1).capture.wants_sketch(0, trace::Phase::param, "x"));
}

TEST_F(CaptureNeedsTest, GoldensKeepDigestsOfTheFirstAndLastUpdate) {
  add(arms("steps = 7", "") + check("channel = \"loss\"", "identical"));
  EXPECT_TRUE(run(0).capture.wants_sketch(1, trace::Phase::grad, "x"));
  EXPECT_TRUE(run(0).capture.wants_sketch(7, trace::Phase::param, "x"));
  EXPECT_FALSE(run(0).capture.wants_sketch(6, trace::Phase::param, "x"));
}

TEST_F(CaptureNeedsTest, RanksRecordTheirLastParameters) {
  Json schema = Json::parse(plan_schema);
  schema["keys"]["parallel.dp_shard"] = {{"type", "integer"}, {"default", 1}};
  schema["mesh"] = {"parallel.dp_shard"};
  write_file(folder_ / "schema.json", schema.dump());
  plan_ = make_plan("program 1");
  add(arms("steps = 7\nparallel.dp_shard = 2", "steps = 7") + "[golden]\narms = []\n" +
      check("tensor = \"*\"\nphase = \"grad\"", "identical"));
  ASSERT_EQ(run(0).ranks, 2);
  EXPECT_TRUE(run(0).capture.wants_sketch(7, trace::Phase::param, "x"));
  EXPECT_FALSE(run(0).capture.wants_sketch(6, trace::Phase::param, "x"));
  EXPECT_FALSE(run(1).capture.wants_sketch(7, trace::Phase::param, "x"));
}

TEST_F(CaptureNeedsTest, RunsWantedByTwoCasesCaptureTheUnion) {
  const std::string tensor_case = check("tensor = \"wq\"\nphase = \"grad\"", "identical", "steps = [4, 4]");
  add(arms("", "lr.base = 1.0") + check("channel = \"lr\"", "identical"), "one");
  add(arms("", "lr.base = 2.0") + tensor_case, "two");
  EXPECT_TRUE(run(0).capture.wants_sketch(4, trace::Phase::grad, "wq"));
  EXPECT_TRUE(run(0).capture.wants_sketch(1, trace::Phase::param, "wk"));
}

TEST_F(CaptureNeedsTest, AnEmptyWindowAsksForNothing) {
  const compare::Check empty =
      parse(arms("", "") + check("tensor = \"*\"", "identical", "steps = \"warmup\"")).checks[0];
  EXPECT_TRUE(needs_of_check(empty, {10, 0}).sketches.empty());
  EXPECT_EQ(needs_of_check(empty, {10, 2}).sketches.at(0).steps, (std::vector<int64_t>{1, 2}));
}

TEST_F(CaptureNeedsTest, Repeats_NeedDigestsOfEverything) {
  const std::string twice =
      "[golden]\narms = []\n[[checks]]\narms = [\"a\"]\nrelation = \"repeats\"\nbecause = "
      "\"the test says so\"\n";
  add(arms("", "lr.base = 1.0") + twice);
  EXPECT_TRUE(run(0).capture.wants_sketch(0, trace::Phase::param, "x"));
  EXPECT_TRUE(run(0).capture.wants_sketch(7, trace::Phase::backward, "y"));
  EXPECT_FALSE(run(0).capture.wants_tensor(7, trace::Phase::backward, "y"));
  EXPECT_FALSE(run(1).capture.wants_sketch(7, trace::Phase::backward, "y"));
  plan_ = make_plan("program 1");
  add(arms("", "lr.base = 1.0") + twice + "steps = [2, 3]\n");
  EXPECT_TRUE(run(0).capture.wants_sketch(3, trace::Phase::grad, "x"));
  EXPECT_FALSE(run(0).capture.wants_sketch(4, trace::Phase::grad, "x"));
}

TEST_F(CaptureNeedsTest, Repeats_AreRunsOfTheirOwn) {
  add(arms("", "lr.base = 1.0") +
      "[golden]\narms = []\n[[checks]]\narms = [\"a\"]\nrelation = \"repeats\"\nunder = "
      "[\"load\"]\nbecause = \"the test says so\"\n");
  PlannedCase& planned = plan_->cases().back();
  plan_->add_repetitions(planned);
  const PlannedArm& arm = planned.arm("a");
  ASSERT_EQ(arm.repetitions.size(), 4U);
  std::set<std::string> ids = {arm.run};
  for (const PlannedRepetition& each : arm.repetitions) {
    EXPECT_TRUE(ids.insert(each.id).second) << each.id;
    EXPECT_TRUE(std::ranges::find(plan_->order(), each.id) != plan_->order().end());
    EXPECT_EQ(plan_->runs().at(each.id).under, each.under);
  }
}

TEST_F(CaptureNeedsTest, LawsNeedWhatTheyReadOfFewUpdates) {
  using trace::Phase;
  const std::string golden = "[golden]\narms = []\n";
  const auto law = [&](const std::string& more) {
    return "[[checks]]\narms = [\"a\"]\nrelation = \"lawful\"\nbecause = \"x\"\n" + more;
  };
  add(arms("", "lr.base = 1.0") + golden + law(""), "plain");
  const trace::Capture& plain = run(0).capture;
  EXPECT_TRUE(plain.wants_tensor(0, Phase::param, "w"));
  for (const Phase phase : {Phase::grad, Phase::grad_clipped, Phase::optim, Phase::param}) {
    EXPECT_TRUE(plain.wants_tensor(3, phase, "w")) << name_of(phase);
    EXPECT_FALSE(plain.wants_sketch(4, phase, "w")) << name_of(phase);
  }
  EXPECT_FALSE(plain.wants_tensor(0, Phase::grad, "w"));
  for (const Phase phase : {Phase::input, Phase::forward, Phase::grad_local})
    EXPECT_FALSE(plain.wants_sketch(1, phase, "output")) << name_of(phase);
  EXPECT_FALSE(run(1).capture.wants_sketch(1, Phase::grad, "w")) << "another arm";
  const bool plain_micro_batches = plain.micro_batches;

  plan_ = make_plan("program 1");
  add(arms("", "lr.base = 1.0") + golden + law("laws = [\"loss\", \"reduction\"]\nsteps = [5, 5]"), "named");
  const trace::Capture& named = run(0).capture;
  EXPECT_TRUE(named.wants_tensor(5, Phase::input, "labels"));
  EXPECT_TRUE(named.wants_tensor(5, Phase::forward, "output"));
  EXPECT_FALSE(named.wants_tensor(5, Phase::forward, "layers.0"));
  EXPECT_TRUE(named.wants_tensor(5, Phase::grad_local, "w"));
  EXPECT_FALSE(named.wants_tensor(5, Phase::param, "w"));
  EXPECT_FALSE(named.wants_tensor(4, Phase::input, "labels"));

  EXPECT_TRUE(named.micro_batches);
  EXPECT_FALSE(plain_micro_batches);

  plan_ = make_plan("program 1");
  add(arms("", "lr.base = 1.0") + golden + law("laws = [\"restart\"]\nsteps = [6, 6]"), "restart");
  const trace::Capture& restart = run(0).capture;
  EXPECT_TRUE(restart.wants_tensor(6, Phase::input, "loaded/param/w"));
  EXPECT_TRUE(restart.wants_tensor(5, Phase::input, "saved/generator"));
  EXPECT_TRUE(restart.wants_tensor(5, Phase::optim, "exp_avg/w"));
  EXPECT_TRUE(restart.wants_tensor(5, Phase::param, "w"));
  EXPECT_FALSE(restart.wants_tensor(6, Phase::param, "w"));
  EXPECT_FALSE(restart.wants_tensor(6, Phase::input, "tokens"));

  plan_ = make_plan("program 1");
  add(arms("", "lr.base = 1.0") + golden + law("before = \"b\""), "continued");
  EXPECT_TRUE(run(0).capture.wants_tensor(0, Phase::optim, "exp_avg/w"));
  EXPECT_TRUE(run(1).capture.wants_tensor(10, Phase::optim, "exp_avg/w"));
  EXPECT_TRUE(run(1).capture.wants_sketch(7, Phase::param, "w"));
  EXPECT_FALSE(run(1).capture.wants_tensor(7, Phase::param, "w"));
  EXPECT_FALSE(run(1).capture.wants_sketch(7, Phase::grad, "w"));

  plan_ = make_plan("program 1");
  add(arms("", "lr.base = 1.0") + golden + law("departs = [\"grad_norm\"]"), "statistics");
  EXPECT_TRUE(run(0).capture.wants_sketch(2, Phase::grad, "w"));
  EXPECT_FALSE(run(0).capture.wants_tensor(2, Phase::grad, "w"));
}

TEST_F(CaptureNeedsTest, UnknownLength_CapturesEachStepOrThoseNamed) {
  const std::string unknown =
      "[arms.a]\ncommand = [\"x\"]\n[arms.b]\ncommand = [\"y\"]\n[golden]\narms = []\n";
  const std::string tensors = "tensor = \"*\"\nphase = \"grad\"";
  add(unknown + check(tensors, "identical"), "every");
  EXPECT_TRUE(run(0).capture.wants_sketch(700, trace::Phase::grad, "w"));
  add(unknown + check(tensors, "identical", "steps = [18, 20]"), "named");
  EXPECT_FALSE(run(0, 1).capture.wants_sketch(17, trace::Phase::grad, "w"));
  EXPECT_TRUE(run(0, 1).capture.wants_sketch(20, trace::Phase::grad, "w"));
}

TEST_F(CaptureNeedsTest, ACommandThatIsToldItsStepsIsOfKnownLength) {
  const std::string told =
      "[arms.a]\ncommand = [\"x\", \"{steps}\"]\n[arms.b]\nsteps = 4\ncommand = [\"y\"]\n[golden]\narms = "
      "[]\n";
  add(told + check("tensor = \"*\"\nphase = \"grad\"", "identical"));
  EXPECT_TRUE(run(0).capture.wants_sketch(10, trace::Phase::grad, "w"));
  EXPECT_FALSE(run(0).capture.wants_sketch(11, trace::Phase::grad, "w"));
  EXPECT_FALSE(run(1).capture.wants_sketch(5, trace::Phase::grad, "w"));
}

}  // namespace
}  // namespace parity::suite
