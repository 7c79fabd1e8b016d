// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/plan.hpp"

#include <algorithm>
#include <set>

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

TEST_F(PlanTest, RunId_DependsOnDeviceAndPlugin) {
  const std::string text = arms("", "device = \"cuda\"") + check("channel = \"lr\"", "identical");
  const auto id = [&](const Json& gpus) {
    plan_ = make_plan("program 1", gpus);
    add(text);
    return std::pair(arm(0).run, arm(1).run);
  };
  const auto [cpu, cuda] = id({{"models", {"A"}}});
  EXPECT_NE(cpu, cuda);
  EXPECT_EQ(Json::parse(run(0).identity).at("device"), "cpu");
  EXPECT_FALSE(Json::parse(run(0).identity).contains("cuda"));
  EXPECT_EQ(Json::parse(run(1).identity).at("device"), "cuda");
  const auto [cpu_elsewhere, cuda_elsewhere] = id({{"models", {"B"}}});
  EXPECT_EQ(cpu, cpu_elsewhere);
  EXPECT_NE(cuda, cuda_elsewhere);
  write_file(folder_ / "libparity-cuda.so", "plug-in");
  const auto [cpu_beside, cuda_beside] = id({{"models", {"A"}}});
  EXPECT_EQ(cpu, cpu_beside);
  EXPECT_NE(cuda, cuda_beside);
}

TEST_F(PlanTest, RunId_OfParquet_DependsOnItsLibrary) {
  const std::string text = arms("", "data.path = \"a.parquet\"") + check("channel = \"lr\"", "identical");
  add(text);
  const std::string other = arm(0).run, parquet = arm(1).run;
  write_file(folder_ / "libparity-parquet.so", "library");
  plan_ = make_plan("program 1");
  add(text);
  EXPECT_EQ(arm(0).run, other);
  EXPECT_NE(arm(1).run, parquet);
}

TEST_F(PlanTest, EqualRunsStandOnceAcrossCasesAndSpellings) {
  add(arms("lr.base = 1", "lr.base = 2.0") + check("channel = \"lr\"", "identical"), "one");
  add(arms("lr.base = 1.0\nverbose = true", "lr.base = 3.0") + check("channel = \"lr\"", "identical"), "two");
  EXPECT_EQ(plan_->runs().size(), 3U);
  EXPECT_EQ(arm(0, 0).run, arm(0, 1).run);
  EXPECT_EQ(run(0).label, "topic/one:a");
}

TEST_F(PlanTest, WhatMayChangeNumbersChangesTheIdentity) {
  add(arms("", "lr.first_index = 0") + check("channel = \"lr\"", "identical"));
  EXPECT_NE(arm(0).run, arm(1).run);
  const std::string before = arm(0).run;
  const auto planned_with = [&](const std::string& program, const std::string& text) {
    plan_ = make_plan(program);
    add(text + arms("", "") + check("channel = \"lr\"", "identical"));
    return arm(0).run;
  };
  EXPECT_EQ(planned_with("program 1", ""), before);
  EXPECT_NE(planned_with("program 2", ""), before);
  EXPECT_NE(planned_with("program 1", "profile = \"native\"\n"), before);
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

TEST_F(PlanTest, RunId_DependsOnTheLaunchOfTheArm) {
  const std::string claim = check("channel = \"lr\"", "equivalent");
  add(arms("launcher = \"torchrun\"", "") + claim);
  EXPECT_NE(arm(0).run, arm(1).run);
  EXPECT_EQ(run(0).launch, (Launch{Launcher::torchrun, 1, 1, {}}));
  EXPECT_EQ(twin(0).launch, run(0).launch);
  EXPECT_TRUE(run(1).launch.is_local());
  EXPECT_FALSE(Json::parse(run(1).identity).contains("launch"));  // as before there were launchers
  EXPECT_EQ(Json::parse(run(0).identity).at("config"), Json::parse(run(1).identity).at("config"));
  add(arms("launcher = \"torchrun\"\nlauncher_options = [\"--max-restarts=0\"]", "launcher = \"mpirun\"") +
          claim,
      "others");
  EXPECT_EQ((std::set{arm(0).run, arm(1).run, arm(0, 1).run, arm(1, 1).run}).size(), 4U);
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

TEST_F(PlanTest, RunId_DependsOnVariablesAndProgramOfTheArm) {
  write_file(folder_ / "other", "");
  const std::string claim = check("channel = \"lr\"", "equivalent");
  plan_->add(parse_case(arms("environment = { MKL_CBWR = \"COMPATIBLE\" }", "") + claim, folder_ / "x.toml"));
  EXPECT_NE(arm(0).run, arm(1).run);
  EXPECT_EQ(twin(0).environment.at("MKL_CBWR"), "COMPATIBLE");
  EXPECT_TRUE(run(0).cacheable);
  const std::string plain = arm(1).run, own = arm(0).run;

  PlanContext context;
  context.trainer = folder_ / "trainer";
  context.schema_file = folder_ / "schema.json";
  context.cpu = {{"vendor", "test"}};
  context.hash_program = [](const auto& program) { return program.filename().string(); };
  plan_ = std::make_unique<Plan>(context);
  plan_->add(parse_case(arms("program = \"other\"", "") + claim, folder_ / "x.toml"));
  EXPECT_NE(arm(0).run, arm(1).run);
  EXPECT_EQ(Json::parse(run(0).identity).at("program"), "other");
  EXPECT_EQ(run(0).program, folder_ / "other");

  plan_ = make_plan("program 1");
  add(arms("environment = { MKL_CBWR = \"AVX\" }", "") + claim);
  EXPECT_NE(arm(0).run, own);
  EXPECT_EQ(arm(1).run, plain);
}

TEST_F(PlanTest, ArmWithAPlaceOfCodeInItsEnvironment_IsNeverStored) {
  add(arms("environment = { LD_LIBRARY_PATH = \"/opt/other\" }", "environment = { X = \"1\" }") +
      check("channel = \"lr\"", "identical"));
  EXPECT_FALSE(run(0).cacheable);
  EXPECT_TRUE(run(1).cacheable);
}

TEST_F(PlanTest, RunId_DependsOnFaultTwinHasTheFaultToo) {
  Case source = parse(arms("", "lr.base = 1.0") + check("channel = \"loss\"", "equivalent"));
  plan_->add(source);
  const std::string before = arm(0).run;
  EXPECT_FALSE(Json::parse(run(0).identity).contains("faults"));
  trace::Fault fault{trace::FaultKind::scale, {3}, trace::Phase::grad, "wq", 1e-3, 0, {}, {}, {}};
  const auto id_with = [&](double size) {
    plan_ = make_plan("program 1");
    fault.size = size;
    source.arms[0].faults = {fault};
    plan_->add(source);
    return arm(0).run;
  };
  const std::string small = id_with(1e-3), large = id_with(1e-2);
  EXPECT_NE(small, before);
  EXPECT_NE(small, large);
  for (const PlannedRun* each : {&run(0), &twin(0)}) {
    EXPECT_EQ(each->capture.faults, std::vector<trace::Fault>{fault});
    EXPECT_EQ(Json::parse(each->identity).at("faults"), to_json(std::vector<trace::Fault>{fault}));
  }
  EXPECT_TRUE(run(1).capture.faults.empty());
}

TEST_F(PlanTest, AFaultBeyondTheLastStepIsRefused) {
  Case source = parse(arms("", "steps = 7") + check("channel = \"loss\"", "identical"));
  source.arms[1].faults = {{trace::FaultKind::ulp, {8}, trace::Phase::grad, "wq", 0, 0, {}, {}, {}}};
  EXPECT_THAT(
      [&] { plan_->add(source); },
      testing::ThrowsMessage<UserError>(HasSubstr(
          "topic/name:b: cannot inject fault 'ulp of grad wq at step 8' (the run ends after step 7")));
}

TEST_F(PlanTest, ARestartedRunIsNeverTakenForTheStraightOne) {
  add(arms("", "checkpoint.restart_after = 5") + check("channel = \"lr\"", "identical"));
  EXPECT_NE(arm(0).run, arm(1).run);
  EXPECT_EQ(run(1).restart_after, 5);
}

TEST_F(PlanTest, RunIdDependsOnEachFileOfABlend) {
  write_file(folder_ / "b.idx", "index");
  write_file(folder_ / "b.bin", "tokens");
  const std::string blend = "data.paths = [\"a.npy\", \"{case_dir}/b.idx\"]\ndata.weights = [1, 2.5]";
  Case source = parse(arms(blend, "") + check("channel = \"lr\"", "identical"));
  source.file = folder_ / "case.toml";
  plan_->add(source);
  const Json inputs = Json::parse(run(0).identity).at("inputs");
  EXPECT_EQ(inputs.at("data.paths[0]"), "hash of a.npy");
  EXPECT_EQ(inputs.at("data.paths[1]"), "hash of b.idx");
  EXPECT_EQ(inputs.at("data.paths[1][bin]"), "hash of b.bin");
  EXPECT_EQ(run(0).config.at("data.paths").at(1), (folder_ / "b.idx").string());
}

TEST_F(PlanTest, RefusesAListOfOtherThanNumbers) {
  EXPECT_THAT(complaint(arms("data.weights = [\"1\"]", "") + check("channel = \"lr\"", "identical")),
              testing::HasSubstr("a list of numbers"));
}

TEST_F(PlanTest, InputFilesArePartOfTheIdentity) {
  add(arms("data.path = \"text\"", "") + check("channel = \"lr\"", "identical"));
  EXPECT_EQ(Json::parse(run(0).identity).at("inputs").at("data.path"), "hash of text");
}

TEST_F(PlanTest, AFileMayLieBesideItsCase) {
  add(arms("data.path = \"{case_dir}/rows.tokens\"", "") + check("channel = \"lr\"", "identical"));
  const auto expected = std::filesystem::absolute("cases/topic/rows.tokens");
  EXPECT_EQ(run(0).config.at("data.path"), expected.string());
  EXPECT_EQ(Json::parse(run(0).identity).at("inputs").at("data.path"), "hash of rows.tokens");
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
TEST_F(PlanTest, PathCountsForCommandsAlone) {
  const std::string text = "[arms.ours]\n[arms.theirs]\ncommand = [\"train\"]\ninputs = [\"x\"]\n" +
                           check("channel = \"lr\"", "identical");
  const auto id = [&](size_t arm, const Environment& environment) {
    plan_ = make_plan("program 1", Json::object(), environment);
    add(text);
    return this->arm(arm).run;
  };
  EXPECT_EQ(id(0, {{"PATH", "/usr/bin"}}), id(0, {{"PATH", "/opt/parity/bin:/usr/bin"}}));
  EXPECT_NE(id(1, {{"PATH", "/usr/bin"}}), id(1, {{"PATH", "/opt/parity/bin:/usr/bin"}}));
  EXPECT_NE(id(0, {{"GLIBC_TUNABLES", "x"}}), id(0, {}));
}

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

TEST_F(PlanTest, WhatResolvesARunLeavesOutProgramAndMachine) {
  add(rounding_case());
  const std::string before = arm(0).resolved;
  EXPECT_EQ(before.size(), 32U);
  EXPECT_NE(arm(1).resolved, before) << "another config";
  plan_ = make_plan("program 2");
  add(rounding_case());
  EXPECT_EQ(arm(0).resolved, before);
}

TEST_F(PlanTest, ANewKeyOfTheTrainerKeepsWhatResolvesARun) {
  add(rounding_case());
  const std::string before = arm(0).resolved;
  const std::string old_run = arm(0).run;
  Json schema = Json::parse(plan_schema);
  schema["keys"]["data.new"] = {{"type", "integer"}, {"default", 3}};
  write_file(folder_ / "schema.json", schema.dump());
  plan_ = make_plan("program 1");
  add(rounding_case());
  EXPECT_EQ(arm(0).resolved, before);
  EXPECT_NE(arm(0).run, old_run) << "a cached run must not stand for another config";
  plan_ = make_plan("program 1");
  add(arms("data.new = 3", "data.new = 4") + check("channel = \"loss\"", "equivalent"));
  EXPECT_EQ(arm(0).resolved, before) << "the default, written down";
  EXPECT_NE(arm(1).resolved, before);
}

TEST_F(PlanTest, WhatResolvesACommandDoesNotDependOnOtherCases) {
  const std::string commands = "[arms.a]\ncommand = [\"train\"]\nsteps = 10\nverbose = false\n" +
                               check("", "repeats", "arms = [\"a\"]");
  add(commands);
  const PlannedArm alone = arm(0);
  plan_ = make_plan("program 1");
  add(rounding_case(), "other");
  add(commands);
  EXPECT_EQ(arm(0, 1).resolved, alone.resolved);
  EXPECT_EQ(arm(0, 1).run, alone.run);
}

}  // namespace
}  // namespace parity::suite
