// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/identity/run_identity.hpp"

#include <set>

#include <gtest/gtest.h>

#include "tests/harness/suite/plan/plan_fixture.hpp"

namespace parity::suite {
namespace {

class RunIdentityTest : public PlanTest {};

TEST_F(RunIdentityTest, RunId_DependsOnDeviceAndPlugin) {
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

TEST_F(RunIdentityTest, RunId_OfParquet_DependsOnItsLibrary) {
  const std::string text = arms("", "data.path = \"a.parquet\"") + check("channel = \"lr\"", "identical");
  add(text);
  const std::string other = arm(0).run, parquet = arm(1).run;
  write_file(folder_ / "libparity-parquet.so", "library");
  plan_ = make_plan("program 1");
  add(text);
  EXPECT_EQ(arm(0).run, other);
  EXPECT_NE(arm(1).run, parquet);
}

TEST_F(RunIdentityTest, EqualRunsStandOnceAcrossCasesAndSpellings) {
  add(arms("lr.base = 1", "lr.base = 2.0") + check("channel = \"lr\"", "identical"), "one");
  add(arms("lr.base = 1.0\nverbose = true", "lr.base = 3.0") + check("channel = \"lr\"", "identical"), "two");
  EXPECT_EQ(plan_->runs().size(), 3U);
  EXPECT_EQ(arm(0, 0).run, arm(0, 1).run);
  EXPECT_EQ(run(0).label, "topic/one:a");
}

TEST_F(RunIdentityTest, WhatMayChangeNumbersChangesTheIdentity) {
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

TEST_F(RunIdentityTest, RunId_DependsOnTheLaunchOfTheArm) {
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

TEST_F(RunIdentityTest, RunId_DependsOnVariablesAndProgramOfTheArm) {
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

TEST_F(RunIdentityTest, ArmWithAPlaceOfCodeInItsEnvironment_IsNeverStored) {
  add(arms("environment = { LD_LIBRARY_PATH = \"/opt/other\" }", "environment = { X = \"1\" }") +
      check("channel = \"lr\"", "identical"));
  EXPECT_FALSE(run(0).cacheable);
  EXPECT_TRUE(run(1).cacheable);
}

TEST_F(RunIdentityTest, RunId_DependsOnFaultTwinHasTheFaultToo) {
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

TEST_F(RunIdentityTest, ARestartedRunIsNeverTakenForTheStraightOne) {
  add(arms("", "checkpoint.restart_after = 5") + check("channel = \"lr\"", "identical"));
  EXPECT_NE(arm(0).run, arm(1).run);
  EXPECT_EQ(run(1).restart_after, 5);
}

TEST_F(RunIdentityTest, RunIdDependsOnEachFileOfABlend) {
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

TEST_F(RunIdentityTest, InputFilesArePartOfTheIdentity) {
  add(arms("data.path = \"text\"", "") + check("channel = \"lr\"", "identical"));
  EXPECT_EQ(Json::parse(run(0).identity).at("inputs").at("data.path"), "hash of text");
}

TEST_F(RunIdentityTest, AFileMayLieBesideItsCase) {
  add(arms("data.path = \"{case_dir}/rows.tokens\"", "") + check("channel = \"lr\"", "identical"));
  const auto expected = std::filesystem::absolute("cases/topic/rows.tokens");
  EXPECT_EQ(run(0).config.at("data.path"), expected.string());
  EXPECT_EQ(Json::parse(run(0).identity).at("inputs").at("data.path"), "hash of rows.tokens");
}

TEST_F(RunIdentityTest, PathCountsForCommandsAlone) {
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

TEST_F(RunIdentityTest, WhatResolvesARunLeavesOutProgramAndMachine) {
  add(rounding_case());
  const std::string before = arm(0).resolved;
  EXPECT_EQ(before.size(), 32U);
  EXPECT_NE(arm(1).resolved, before) << "another config";
  plan_ = make_plan("program 2");
  add(rounding_case());
  EXPECT_EQ(arm(0).resolved, before);
}

TEST_F(RunIdentityTest, ANewKeyOfTheTrainerKeepsWhatResolvesARun) {
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

TEST_F(RunIdentityTest, WhatResolvesACommandDoesNotDependOnOtherCases) {
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
