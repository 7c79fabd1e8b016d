// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Traces that ranks write to a folder of their node: moved whole, or an error that names rank and machine.
#include "harness/suite/launch/local_traces.hpp"

#include <csignal>
#include <memory>

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "harness/base/host_name.hpp"
#include "tests/harness/suite/suite_fixture.hpp"
#include "tests/support/scratch.hpp"

namespace parity::suite {
namespace {
namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class LocalTracesTest : public SuiteTest {
 protected:
  void SetUp() override {
    SuiteTest::SetUp();
    fs::create_directories(node_ = folder_ / "node");
    write_trace("good", falling_losses());
    ::setenv("PARITY_JOIN", "later", 1);
    for (const int rank : {1, 0})
      write_part(rank);
    ::unsetenv("PARITY_JOIN");
    const fs::path launcher = folder_ / "launch.sh";
    write_file(launcher,
               "#!/bin/sh\npids=\nfor r in 1 0; do RANK=$r WORLD_SIZE=2 \"$@\" & pids=\"$pids $!\"; done\n"
               "for p in $pids; do wait $p || { kill $pids 2>/dev/null; wait; exit 1; }; done\n");
    ::chmod(launcher.c_str(), 0755);
  }
  void write_part(int rank) const {
    trace::Recorder::Options options{folder_ / "cases/topic/part.h5", Json::object(), Json::object(), {}, 0};
    options.rank = rank;
    options.ranks = 2;
    trace::Recorder recorder(std::move(options));
    const std::vector<double> losses = falling_losses();
    for (size_t i = 0; i < losses.size(); ++i) {
      recorder.begin_step(static_cast<int64_t>(i) + 1);
      recorder.channel("loss", losses[i]);
      recorder.channel("lr", 0.5);
      recorder.channel("update_norm", 1.0);
      recorder.end_step();
    }
    recorder.finish();
  }
  std::string keys(const std::string& root) const { return "ranks = 2\nlocal_traces = \"" + root + "\"\n"; }
  std::string launched() const {
    return keys(node_.string()) + "launcher = \"external\"\nlauncher_options = [\"" +
           (folder_ / "launch.sh").string() + "\"]\n";
  }
  /// Runs a script as an arm of two ranks against an arm of one process. \return the former
  Json arm_of(const std::string& script, const std::string& of_arm) {
    results_ = run({write_case("c", "[golden]\narms = []\n" + copying_arm("good", "good") +
                                        shell_arm("two", script) + of_arm + losses_identical())});
    return results_.at("cases").at(0).at("arms").at(1);
  }
  static std::string message(const Json& arm) {
    return arm.contains("failure") ? arm.at("failure").at("message").get<std::string>() : arm.dump();
  }
  std::string verdict() const {
    return results_.at("cases").at(0).at("checks").at(0).at("verdict").get<std::string>();
  }
  bool node_is_empty() const { return fs::is_empty(node_); }

  const std::string where_ = "echo $PARITY_TRACE > {run_dir}/where.$RANK; ";
  const std::string zero_ = "[ $RANK = 0 ] && exec cp {case_dir}/part.h5.partial $PARITY_TRACE.partial; ";
  const std::string one_ = "cp {case_dir}/part.rank1.h5 $PARITY_TRACE";
  fs::path node_;
  Json results_;
};

TEST_F(LocalTracesTest, PartsOfLaunchedRanks_AreMovedAndJoined) {
  const Json arm = arm_of(where_ + zero_ + one_, launched());
  ASSERT_EQ(arm.at("status"), "complete") << message(arm);
  EXPECT_EQ(verdict(), "identical");
  const fs::path out = folder_ / "out/runs" / arm.at("run").get<std::string>();
  for (const char* rank : {"0", "1"})
    EXPECT_THAT(read_file(out / (std::string("where.") + rank)),
                HasSubstr((node_ / "parity-traces-").string()));
  EXPECT_TRUE(fs::exists(out / "trace.h5") && fs::exists(out / "trace.rank1.h5"));
  EXPECT_TRUE(node_is_empty());
}

TEST_F(LocalTracesTest, ParitysOwnRanks_WriteThereToo) {
  const Json arm = arm_of(where_ + "[ $RANK = 1 ] || exec cp {case_dir}/good.h5 $PARITY_TRACE",
                          "ranks = 1\nlocal_traces = \"" + node_.string() + "\"\n");
  ASSERT_EQ(arm.at("status"), "complete") << message(arm);
  const fs::path out = folder_ / "out/runs" / arm.at("run").get<std::string>();
  EXPECT_THAT(read_file(out / "where.0"), HasSubstr((node_ / "parity-traces-").string()));
  EXPECT_TRUE(fs::exists(out / "trace.h5"));
  EXPECT_TRUE(node_is_empty());
}

TEST_F(LocalTracesTest, VariableOfTheSite_CountsForEveryRun) {
  ::setenv("PARITY_LOCAL_TRACES", node_.c_str(), 1);
  const Json arm = arm_of(where_ + "cp {case_dir}/good.h5 $PARITY_TRACE", "ranks = 1\n");
  ::unsetenv("PARITY_LOCAL_TRACES");
  ASSERT_EQ(arm.at("status"), "complete") << message(arm);
  const fs::path out = folder_ / "out/runs" / arm.at("run").get<std::string>();
  EXPECT_THAT(read_file(out / "where.0"), HasSubstr((node_ / "parity-traces-").string()));
}

TEST_F(LocalTracesTest, RankWithoutATrace_IsNamedAndNoVerdict) {
  const Json arm = arm_of(zero_ + "true", launched());
  EXPECT_EQ(message(arm), "rank 1 of topic/c:two on " + host_name() +
                              " left no file (trace.rank1.h5); a verdict needs the traces of all ranks");
  EXPECT_EQ(exit_code_of(results_), ExitCode::crashed);
  EXPECT_TRUE(node_is_empty());
}

TEST_F(LocalTracesTest, FailedRank_LeavesItsPartialTrace) {
  for (const std::string& of_arm : {keys(node_.string()), launched()}) {
    const Json arm =
        arm_of("[ $RANK = 0 ] || exec sleep 60; cp {case_dir}/part.h5.partial $PARITY_TRACE.partial; exit 3",
               of_arm);
    EXPECT_THAT(message(arm), HasSubstr("rank 0 of topic/c:two")) << of_arm;
    EXPECT_TRUE(fs::exists(folder_ / "out/runs" / arm.at("run").get<std::string>() / "trace.h5.partial"))
        << of_arm;
    EXPECT_TRUE(node_is_empty());
  }
}

TEST_F(LocalTracesTest, TruncatedPart_IsNamedAndNoVerdict) {
  const Json arm = arm_of(zero_ + "head -c 5000 {case_dir}/part.rank1.h5 > $PARITY_TRACE", launched());
  EXPECT_THAT(message(arm), AllOf(HasSubstr("rank 1 of topic/c:two on " + host_name()),
                                  HasSubstr("left a file that cannot be read (trace.rank1.h5)")));
  EXPECT_NE(verdict(), "identical");
}

TEST_F(LocalTracesTest, KilledRank_IsNamedAndLeavesNothing) {
  const Json arm =
      arm_of("echo x > $PARITY_TRACE; [ $RANK = 1 ] || exec sleep 60; sleep 0.3; kill -9 $PPID; sleep 60",
             launched());
  EXPECT_THAT(message(arm),
              HasSubstr("launch.sh ended with exit status 1, and 0 of its 2 ranks ended (rank 1 on " +
                        host_name() + " did not)"));
  EXPECT_TRUE(node_is_empty());
}

TEST_F(LocalTracesTest, FullDiskOfTheNode_IsNamedAndNoVerdict) {
  const Json arm = arm_of(zero_ + "ulimit -f 100; head -c 20000000 /dev/zero > $PARITY_TRACE", launched());
  EXPECT_THAT(message(arm), HasSubstr("rank 1 of topic/c:two on " + host_name() + " "));
  EXPECT_TRUE(node_is_empty());
}

TEST_F(LocalTracesTest, FolderThatIsNotThere_IsNamedWithItsMachine) {
  EXPECT_THAT(
      message(arm_of("true", keys("/no/such/folder"))),
      HasSubstr("cannot write traces to /no/such/folder on " + host_name() + " (No such file or directory)"));
}

TEST_F(LocalTracesTest, CopyThatDoesNotFit_IsRefused) {
  const fs::path out = folder_ / "out";
  fs::create_directories(out);
  LocalTraces local(node_, out, "rank3");
  write_file(local.place_of(out / "trace.rank3.h5"), std::string(200'000, 'x'));
  rlimit before = {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, SIG_IGN);
  const rlimit small = {100'000, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  std::string problem;
  try {
    local.collect();
  } catch (const UserError& error) {
    problem = error.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, SIG_DFL);
  EXPECT_THAT(problem, AllOf(HasSubstr("cannot move "), HasSubstr("trace.rank3.h5 of " + host_name() + " to"),
                             HasSubstr("(File too large)")));
  EXPECT_TRUE(fs::is_empty(out));
  const size_t at = problem.find("kept in ");
  ASSERT_NE(at, std::string::npos) << problem;
  EXPECT_EQ(fs::file_size(fs::path(problem.substr(at + 8)) / "trace.rank3.h5"), 200'000U)
      << "nothing is lost";
  remove_left_traces(node_, out);
  EXPECT_FALSE(node_is_empty());
}

TEST_F(LocalTracesTest, PartThatArrivesDamaged_IsMissing) {
  const fs::path out = folder_ / "out";
  fs::create_directories(out);
  const auto local = std::make_unique<LocalTraces>(node_, out, "rank0");
  write_file(local->place_of("trace.h5"), "whole");
  const Json files = to_json(local->collect());
  EXPECT_EQ(missing_part(out, files), "");
  write_file(out / "trace.h5", "whale");
  EXPECT_EQ(missing_part(out, files), "trace.h5 has other bytes here than there");
  write_file(out / "trace.h5", "who");
  EXPECT_EQ(missing_part(out, files), "trace.h5 has 3 bytes here, and 5 there");
  fs::remove(out / "trace.h5");
  EXPECT_EQ(missing_part(out, files), "trace.h5 is not in " + out.string());
}

TEST_F(LocalTracesTest, FoldersOfKilledProcesses_GoWithTheNextRun) {
  const fs::path dead = node_ / "parity-traces-0123456789abcdef.rank1", young = node_ / "parity-traces-1.run";
  for (const fs::path& each : {dead, young})
    fs::create_directories(each);
  const auto living = std::make_unique<LocalTraces>(node_, folder_ / "other", "run");
  const fs::path lives = living->place_of("trace.h5").parent_path();
  for (const fs::path& each : {dead, lives})
    fs::last_write_time(each, fs::file_time_type::clock::now() - std::chrono::minutes(5));
  const LocalTraces next(node_, folder_ / "out", "run");
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(young) && fs::exists(lives));
}

}  // namespace
}  // namespace parity::suite
