// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/plan.hpp"

#include <algorithm>

#include <gmock/gmock.h>

#include "tests/harness/suite/plan/plan_fixture.hpp"

namespace parity::suite {
namespace {

using testing::HasSubstr;

TEST_F(PlanTest, Ranks_AreTheMeshAndThoseBesideIt) {
  Json schema = Json::parse(plan_schema);
  for (const char* key : {"parallel.dp_shard", "parallel.tp", "rl.generator.ranks"})
    schema["keys"][key] = {{"type", "integer"}, {"default", key[0] == 'r' ? 0 : 1}};
  schema["mesh"] = {"parallel.dp_shard", "parallel.tp"};
  schema["ranks_beside_mesh"] = {"rl.generator.ranks"};
  write_file(folder_ / "schema.json", schema.dump());
  plan_ = make_plan("program 1");
  add("[base.parallel]\ndp_shard = 2\ntp = 2\n" + arms("", "rl.generator.ranks = 3") +
      check("channel = \"lr\"", "identical"));
  EXPECT_EQ(run(0).ranks, 4);
  EXPECT_EQ(run(1).ranks, 7);
}

TEST_F(PlanTest, ExactTwins_TrainTheUpdatesOfTheirChecks) {
  add("[golden]\narms = []\n" + arms("", "lr.base = 2") + check("", "same_function") +
      check("", "other_function", "steps = [3, 4]"));
  const PlannedRun& twin = plan_->runs().at(arm(1).exact);
  EXPECT_EQ(twin.label, "topic/name:b:exact");
  EXPECT_EQ(twin.dtype, "exact");
  EXPECT_EQ(twin.span.stop_after, 4);
  EXPECT_EQ(arm(1).exact_updates, 4);
  ASSERT_EQ(twin.capture.sketches.size(), 2U);
  EXPECT_EQ(twin.capture.sketches[1].steps, (std::vector<int64_t>{3, 4}));
  EXPECT_NE(arm(0).exact, arm(1).exact);
  EXPECT_TRUE(arm(0).twin.empty());
  EXPECT_TRUE(run(0).capture.sketches.empty());
  const std::vector<std::string> runs = arm(0).runs();
  EXPECT_EQ(runs.size(), 2U);
  EXPECT_EQ(std::ranges::count(plan_->order(), arm(0).exact), 1);
}

TEST_F(PlanTest, ExactTwins_OnlyWhereAsked_AndNeverLongerThanTheRun) {
  add("[base]\nsteps = 1\n" + arms("", "lr.base = 2") + "[arms.c]\n" +
      check("arms = [\"a\", \"b\"]", "same_function"));
  EXPECT_EQ(plan_->runs().at(arm(0).exact).span.stop_after, 1);
  EXPECT_TRUE(arm(2).exact.empty());
  add("[arms.a]\ncommand = [\"true\"]\n[arms.b]\n" + check("", "same_function"), "commands");
  EXPECT_TRUE(arm(0, 1).exact.empty());
  EXPECT_FALSE(arm(1, 1).exact.empty());
}

TEST_F(PlanTest, Nodes_HaveEqualNumbersOfRanks) {
  const auto command = [](const std::string& keys) {
    return "[arms.a]\ncommand = [\"x\"]\nranks = 4\nlauncher = \"srun\"\n" + keys + "\n[arms.b]\n" +
           check("channel = \"lr\"", "identical");
  };
  add(command("nodes = 2"));
  EXPECT_EQ(run(0).launch.ranks_per_node, 2);
  EXPECT_THAT(complaint(command("nodes = 3")), testing::HasSubstr("arm a has 3 nodes and 4 ranks"));
  EXPECT_THAT(complaint(command("nodes = 2\nranks_per_node = 4")),
              testing::HasSubstr("2 nodes with 4 ranks each and 4 ranks"));
}

TEST_F(PlanTest, UnknownKeyNearALaunchKey_NamesIt) {
  EXPECT_THAT(complaint(arms("", "launchr = \"srun\"") + check("channel = \"lr\"", "identical")),
              testing::HasSubstr("unknown config key 'launchr' (did you mean 'launcher' of an arm?)"));
}

TEST_F(PlanTest, AFaultBeyondTheLastStepIsRefused) {
  Case source = parse(arms("", "steps = 7") + check("channel = \"loss\"", "identical"));
  source.arms[1].faults = {{trace::FaultKind::ulp, {8}, trace::Phase::grad, "wq", 0, 0, {}, {}, {}}};
  EXPECT_THAT(
      [&] { plan_->add(source); },
      testing::ThrowsMessage<UserError>(HasSubstr(
          "topic/name:b: cannot inject fault 'ulp of grad wq at step 8' (the run ends after step 7")));
}

TEST_F(PlanTest, RefusesAListOfOtherThanNumbers) {
  EXPECT_THAT(complaint(arms("data.weights = [\"1\"]", "") + check("channel = \"lr\"", "identical")),
              testing::HasSubstr("a list of numbers"));
}

TEST_F(PlanTest, TwinsAreAddedOnlyWhereAGapIsJudged) {
  add(arms("", "lr.base = 1.0") + check("channel = \"loss\"", "identical"));
  EXPECT_EQ(arm(0).twin, "");
  plan_ = make_plan("program 1");
  add(arms("", "lr.base = 1.0") + check("channel = \"loss\"", "equivalent"));
  EXPECT_EQ(twin(0).dtype, "float64");
  EXPECT_EQ(twin(0).config.at("dtype"), "float64");
  EXPECT_EQ(plan_->runs().size(), 4U);
}

TEST_F(PlanTest, GoldenTwinsCanBeAddedLater) {
  add(arms("", "lr.base = 1.0") + "[golden]\narms = [\"b\"]\n" + check("channel = \"loss\"", "identical"));
  EXPECT_EQ(plan_->add_golden_twins(plan_->cases()[0]).size(), 1U);
  EXPECT_EQ(arm(0).twin, "");
  EXPECT_EQ(twin(1).dtype, "float64");
}

/// parity-train starts no program; a command may be found by PATH, and start others.
TEST_F(PlanTest, ConfigMistakesNameTheirPlaceAndWhatIsKnown) {
  const std::string end = check("channel = \"lr\"", "identical");
  EXPECT_THAT(complaint(arms("lr.frist_index = 1", "") + end),
              testing::AllOf(HasSubstr("name.toml:2:"), HasSubstr("'lr.frist_index'"),
                             HasSubstr("'lr.first_index'")));
  EXPECT_THAT(complaint("[base]\nsteps = \"ten\"\n" + arms("", "") + end),
              testing::AllOf(HasSubstr("name.toml:2:1"), HasSubstr("must be an integer")));
  EXPECT_THAT(complaint(arms("lr.first_index = 2", "") + end), HasSubstr("cannot be '2'"));
  EXPECT_THAT(complaint(arms("checkpoint.exclude_from_loading = [\"optimizer.stp\"]", "") + end),
              HasSubstr("'optimizer.step'"));
  EXPECT_THAT(complaint(arms("", "") + check("channel = \"los\"", "identical")),
              testing::AllOf(HasSubstr("name.toml:5:"), HasSubstr("'los'"), HasSubstr("'loss'")));
}

TEST_F(PlanTest, RefusesStepsThatAreNotAPositiveInteger) {
  const std::string end = check("channel = \"lr\"", "identical");
  for (const std::string steps : {"0", "-1", "-9223372036854775808"})
    EXPECT_THAT(complaint(arms("", "steps = " + steps) + end),
                testing::AllOf(HasSubstr("name.toml:"), HasSubstr("steps = " + steps + "; give an integer")));
  for (const std::string steps : {"0", "2.5", "\"ten\"", "[3]"})
    EXPECT_THAT(
        complaint("[arms.a]\ncommand = [\"x\"]\nsteps = " + steps + "\n[arms.b]\ncommand = [\"y\"]\n" + end),
        HasSubstr("arm a has steps = " + steps));
}

TEST_F(PlanTest, CommandsWithoutInputs_AreNotCached) {
  std::filesystem::remove(folder_ / "schema.json");
  add("[arms.a]\ncommand = [\"train\"]\n[arms.b]\ncommand = [\"train\"]\ninputs = [\"x\"]\n" +
      check("channel = \"anything\"", "identical"));
  EXPECT_FALSE(run(0).cacheable);
  EXPECT_TRUE(run(1).cacheable);
  EXPECT_EQ(Json::parse(run(1).identity).at("inputs").at("x"), "hash of x");
}

TEST_F(PlanTest, ACommandMayReadTheTraceOfAnArm) {
  add("[arms.b]\ncommand = [\"replay\", \"{trace:a}\", \"{dtype}\"]\n[arms.a]\n" +
      check("channel = \"loss\"", "equivalent"));
  EXPECT_EQ(run(0).trace_of.at("a"), arm(1).run);
  EXPECT_EQ(twin(0).trace_of.at("a"), arm(1).twin);
  EXPECT_THAT(
      complaint("[arms.b]\ncommand = [\"{trace:c}\"]\n[arms.a]\n" + check("channel = \"lr\"", "identical")),
      testing::AllOf(HasSubstr("{trace:c}"), HasSubstr("known: a")));
}

TEST_F(PlanTest, SpareTwinsRunOnlyWhenTheyAreAskedFor) {
  plan_->add(parse(rounding_case()), Twins::spare);
  PlannedCase& planned = plan_->cases().front();
  EXPECT_EQ(plan_->order().size(), 2U) << "the arms";
  EXPECT_EQ(arm(0).twin, "");
  ASSERT_NE(arm(0).spare_twin, "");
  const std::string spare = arm(0).spare_twin;
  EXPECT_EQ(plan_->run_spare_twins(planned, {"a"}), std::vector{spare});
  EXPECT_EQ(arm(0).twin, spare);
  EXPECT_EQ(arm(0).spare_twin, "");
  EXPECT_EQ(arm(1).twin, "") << "nobody asked for it";
  EXPECT_TRUE(plan_->run_spare_twins(planned, {"a"}).empty()) << "it runs once";
  EXPECT_EQ(plan_->order().size(), 3U);
}

TEST_F(PlanTest, ATwinRecordsWhatOthersMayWantOfItAsASpare) {
  add(rounding_case(), "runs");
  const std::string tensors =
      arms("", "lr.base = 2") + check("tensor = \"w\"\nphase = \"grad\"", "equivalent");
  plan_->add(parse(tensors, "spares"), Twins::spare);
  EXPECT_EQ(plan_->order().size(), 4U);
  EXPECT_EQ(arm(0, 1).spare_twin, arm(0, 0).twin);
  EXPECT_TRUE(twin(0).capture.wants_tensor(1, trace::Phase::grad, "w"));
  EXPECT_TRUE(plan_->run_spare_twins(plan_->cases().at(1), {"a", "b"}).empty()) << "they run already";
  EXPECT_EQ(arm(0, 1).twin, arm(0, 0).twin);
}

TEST_F(PlanTest, ASpareTwinBringsTheTwinsThatItReads) {
  plan_->add(
      parse(
          "[arms.b]\ncommand = [\"replay\", \"{trace:a}\", \"{dtype}\"]\n[arms.a]\n[arms.c]\nlr.base = 2\n" +
          check("channel = \"loss\"\narms = [\"c\", \"b\"]", "equivalent")),
      Twins::spare);
  EXPECT_EQ(plan_->run_spare_twins(plan_->cases().front(), {"b"}).size(), 2U);
  EXPECT_EQ(twin(0).trace_of.at("a"), arm(1).twin);
}

}  // namespace
}  // namespace parity::suite
