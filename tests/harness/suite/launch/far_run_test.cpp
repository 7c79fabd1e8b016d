// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Arms with `shared_folder = false`, whose ranks reach their run's folder through parity.
#include <cstdlib>
#include <functional>

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "harness/base/host_name.hpp"
#include "harness/suite/launch/launched_ranks.hpp"
#include "harness/suite/results/case_results.hpp"
#include "tests/harness/suite/suite_fixture.hpp"
#include "tests/support/scratch.hpp"

namespace parity::suite {
namespace {
namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class FarRunTest : public SuiteTest {
 protected:
  void SetUp() override {
    SuiteTest::SetUp();
    ::setenv("PARITY_ADDRESS", "127.0.0.1", 1);
    fs::create_directories(node_ = folder_ / "node");
    write_trace("good", falling_losses());
    write_file(folder_ / "launch.sh", "#!/bin/sh\nRANK=0 WORLD_SIZE=1 exec \"$@\"\n");
    ::chmod((folder_ / "launch.sh").c_str(), 0755);
  }
  void TearDown() override {
    ::unsetenv("PARITY_ADDRESS");
    SuiteTest::TearDown();
  }
  std::string far_keys() const {
    return "launcher = \"external\"\nlauncher_options = [\"" + (folder_ / "launch.sh").string() +
           "\"]\nshared_folder = false\nlocal_traces = \"" + node_.string() + "\"\n";
  }
  Json arm_of(const std::string& script) {
    results_ = run({write_case("c", "[golden]\narms = []\n" + copying_arm("good", "good") +
                                        shell_arm("far", script) + far_keys() + losses_identical())});
    return results_.at("cases").at(0).at("arms").at(1);
  }
  static std::string message(const Json& arm) {
    return arm.contains("failure") ? arm.at("failure").at("message").get<std::string>() : arm.dump();
  }
  std::string verdict() const {
    return results_.at("cases").at(0).at("checks").at(0).at("verdict").get<std::string>();
  }

  fs::path node_;
  Json results_;
};

TEST_F(FarRunTest, Rank_HasEverythingInAFolderOfItsNode) {
  const Json arm = arm_of(
      "echo {run_dir} $PARITY_TRACE $PARITY_CONFIG > {run_dir}/where; cat $PARITY_CONFIG; echo why >&2; "
      "cp {case_dir}/good.h5 $PARITY_TRACE");
  ASSERT_EQ(arm.at("status"), "complete") << message(arm);
  EXPECT_EQ(verdict(), "identical");
  const fs::path out = folder_ / "out/runs" / arm.at("run").get<std::string>();
  EXPECT_THAT(read_file(out / "where"), AllOf(testing::StartsWith((node_ / "parity-traces-").string()),
                                              testing::Not(HasSubstr(out.string()))));
  EXPECT_EQ(read_file(out / "stdout"), read_file(out / "config.json"));
  EXPECT_EQ(read_file(out / "stderr"), "why\n");
  EXPECT_TRUE(fs::is_empty(node_));
}

TEST_F(FarRunTest, FailedRank_SaysWhyAndLeavesItsPartialTrace) {
  const Json arm = arm_of("cp {case_dir}/good.h5 $PARITY_TRACE.partial; echo why >&2; exit 7");
  EXPECT_THAT(message(arm), AllOf(HasSubstr("exit status 7"), HasSubstr("why")));
  EXPECT_NE(verdict(), "identical");
  EXPECT_TRUE(fs::exists(folder_ / "out/runs" / arm.at("run").get<std::string>() / "trace.h5.partial"));
  EXPECT_TRUE(fs::is_empty(node_));
}

TEST_F(FarRunTest, TruncatedTrace_IsNoVerdict) {
  const Json arm = arm_of("head -c 3000 {case_dir}/good.h5 > $PARITY_TRACE");
  EXPECT_EQ(arm.at("failure").at("kind"), "bad_trace") << arm.dump();
  EXPECT_NE(verdict(), "identical");
}

TEST_F(FarRunTest, LostRank_IsNamedWithItsMachine) {
  const Json arm = arm_of("cp {case_dir}/good.h5 $PARITY_TRACE; kill -9 $PPID; sleep 60");
  EXPECT_THAT(message(arm), testing::StartsWith("rank 0 of topic/c:far on " + host_name() + " is gone"));
  EXPECT_EQ(verdict(), "crashed");
}

TEST_F(FarRunTest, FilesOfOtherRuns_AreRefused) {
  const auto refusal = [&](const std::function<void(PlannedRun&)>& read_other) {
    PlannedRun run;
    run.label = "topic/c:far";
    run.launch = {Launcher::external, 1, 1, {(folder_ / "launch.sh").string()}, node_.string(), false};
    read_other(run);
    try {
      const LaunchedRanks ranks(run, folder_ / "out", 0, {ProcessSpec()});
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal([](PlannedRun& run) { run.trace_of = {{"good", "0123"}}; }),
            "cannot start topic/c:far on machines without a shared folder (it reads the trace of another "
            "arm); give them one, or start it here with --set launcher=local");
  EXPECT_THAT(refusal([](PlannedRun& run) { run.span.start_run = "0123"; }),
              HasSubstr("a checkpoint of another"));
  EXPECT_THAT(refusal([](PlannedRun& run) { run.capture.teacher = "t.h5"; }), HasSubstr("its teacher"));
}

TEST_F(FarRunTest, UnreachableParity_IsNamedWithItsAddress) {
  ::setenv("PARITY_ADDRESS", "no-such-host.invalid", 1);
  const Json arm = arm_of("cp {case_dir}/good.h5 $PARITY_TRACE");
  EXPECT_EQ(arm.at("failure").at("kind"), "crashed");
  EXPECT_THAT(message(arm), HasSubstr("cannot reach parity at no-such-host.invalid"));
}

}  // namespace
}  // namespace parity::suite
