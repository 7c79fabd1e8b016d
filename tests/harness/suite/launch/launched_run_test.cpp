// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs whose ranks a launcher starts, here a shell script: it may start too few of them, too many, or die.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "harness/base/host_name.hpp"
#include "harness/suite/launch/rank_files.hpp"
#include "harness/suite/plan/identity/machine.hpp"
#include "harness/suite/results/case_results.hpp"
#include "tests/harness/suite/suite_fixture.hpp"
#include "tests/support/places.hpp"
#include "tests/support/scratch.hpp"

namespace parity::suite {
namespace {
namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class LaunchedRunTest : public SuiteTest {
 protected:
  void SetUp() override {
    SuiteTest::SetUp();
    write_trace("good", falling_losses());
    write_trace("joined", falling_losses());
    const CommandResult joined =
        run_python(folder_,
                   "import h5py, sys\nf = h5py.File(sys.argv[1], 'r+')\ndel f.attrs['digest']\n"
                   "f.attrs['schema'], f.attrs['joined_ranks'] = 'parity.trace/1.1', 2\n",
                   (folder_ / "cases/topic/joined.h5").string());
    ASSERT_EQ(joined.status, 0) << joined.output;
    // Starts ranks 0 to FIRST - 1 of WORLD, and ends the others when one fails, as launchers do.
    write_script(
        "launch.sh",
        "world=$1; first=$2; shift 2; pids=\n"
        "for r in $(seq 0 $((first - 1))); do RANK=$r WORLD_SIZE=$world \"$@\" & pids=\"$pids $!\"; done\n"
        "for p in $pids; do wait $p || { kill $pids 2>/dev/null; exit 1; }; done\n");
  }
  void write_script(const std::string& name, const std::string& text) const {
    const fs::path file = folder_ / name;
    write_file(file, "#!/bin/sh\n" + text);
    ::chmod(file.c_str(), 0755);
  }
  /// Keys of an arm of two ranks whose launcher is a script of this folder.
  std::string launched(const std::string& words) const {
    return "ranks = 2\nlauncher = \"external\"\nlauncher_options = [\"" + (folder_ / words).string() +
           "\"]\n";
  }
  std::string launched_by(const std::string& world, const std::string& first) const {
    return launched("launch.sh\", \"" + world + "\", \"" + first);
  }
  /// Runs an arm of two ranks against an arm of one process. \return the former
  Json arm_of(const std::string& script, const std::string& keys, const std::string& more = "") {
    results_ = run({write_case("c", more + "[golden]\narms = []\n" + copying_arm("good", "good") +
                                        shell_arm("two", script) + keys + losses_identical())});
    return results_.at("cases").at(0).at("arms").at(1);
  }
  static std::string message(const Json& arm) { return arm.at("failure").at("message").get<std::string>(); }

  const std::string copy_ = "[ $RANK = 1 ] || cp {case_dir}/joined.h5 $PARITY_TRACE";
  Json results_;
};

TEST_F(LaunchedRunTest, Ranks_KnowWhoTheyAreAndWhereTheyMeet) {
  const Json arm = arm_of(
      "echo $RANK/$WORLD_SIZE/$LOCAL_RANK/$OMP_NUM_THREADS/$MASTER_ADDR/$MASTER_PORT/$PARITY_RENDEZVOUS; "
      "echo err $RANK >&2; echo $PARITY_TRACE $PARITY_HEARTBEAT > {run_dir}/files.$RANK; " +
          copy_,
      launched_by("2", "2"));
  ASSERT_EQ(arm.at("status"), "complete") << arm.dump();
  const fs::path out = folder_ / "out/runs" / arm.at("run").get<std::string>();
  const std::string zero = read_file(out / "stdout"), one = read_file(out / "stdout.rank1");
  EXPECT_THAT(zero, AllOf(testing::StartsWith("0/2/0/1/127.0.0.1/"), testing::EndsWith("/\n")));
  EXPECT_THAT(one, testing::StartsWith("1/2/1/1/127.0.0.1/"));
  EXPECT_EQ(zero.substr(6), one.substr(6));  // one meeting place
  EXPECT_EQ(read_file(out / "stderr.rank1"), "err 1\n");
  EXPECT_THAT(read_file(out / "files.1"), AllOf(HasSubstr("trace.rank1.h5"), HasSubstr("heartbeat.1.json")));
}

TEST_F(LaunchedRunTest, FewerRanksThanAsked_AreAnErrorAndNoVerdict) {
  const Json arm = arm_of(copy_, launched_by("2", "1"));
  EXPECT_EQ(arm.at("failure").at("kind"), "crashed");
  EXPECT_EQ(message(arm), "topic/c:two: launch.sh ended with exit status 0, and 1 of its 2 ranks began");
  EXPECT_EQ(results_.at("cases").at(0).at("checks").at(0).at("verdict"), "crashed");
  EXPECT_EQ(exit_code_of(results_), ExitCode::crashed);
}

TEST_F(LaunchedRunTest, AnotherNumberOfRanks_IsRefused) {
  EXPECT_THAT(
      message(arm_of(copy_, launched_by("3", "3"))),
      testing::MatchesRegex("topic/c:two: the launcher started rank [0-2] of 3 ranks, and the run has 2;.*"));
  EXPECT_THAT(message(arm_of(copy_ + " # 2", launched_by("1", "1"))),
              HasSubstr("rank 0 of 1 ranks, and the run has 2"));
}

TEST_F(LaunchedRunTest, RankStartedTwice_IsRefused) {
  write_script("twice.sh", "RANK=0 WORLD_SIZE=2 \"$@\"; RANK=0 WORLD_SIZE=2 \"$@\"\n");
  EXPECT_THAT(message(arm_of("true", launched("twice.sh"))), HasSubstr("started rank 0 twice"));
}

TEST_F(LaunchedRunTest, LauncherWithoutRanks_IsNamedWithItsLastWords) {
  write_script("fails.sh", "echo no host is free >&2; exit 3\n");
  EXPECT_EQ(message(arm_of(copy_, launched("fails.sh"))),
            "topic/c:two: fails.sh ended with exit status 3, and 0 of its 2 ranks began: no host is free");
}

TEST_F(LaunchedRunTest, ProgramThatSetsNoRank_IsRefused) {
  write_script("plain.sh", "\"$@\"\n");
  EXPECT_THAT(
      message(arm_of(copy_, launched("plain.sh"))),
      HasSubstr("cannot find the rank of this process (launcher external has set none of its variables"));
}

TEST_F(LaunchedRunTest, KilledLauncher_EndsItsRanks) {
  write_script("dies.sh", "RANK=0 WORLD_SIZE=2 \"$@\" & sleep 0.3; kill -9 $$\n");
  const Json arm = arm_of("echo $$ > {run_dir}/pid; exec sleep 600", launched("dies.sh"));
  EXPECT_EQ(message(arm), "topic/c:two: dies.sh was killed by signal 9 (KILL), and 1 of its 2 ranks began");
  const std::string pid = read_file(folder_ / "out/runs" / arm.at("run").get<std::string>() / "pid");
  const CommandResult state =
      run_shell("grep State: /proc/" + pid.substr(0, pid.find('\n')) + "/status 2>/dev/null");
  EXPECT_TRUE(state.output.empty() || state.output.find("Z (zombie)") != std::string::npos) << state.output;
}

TEST_F(LaunchedRunTest, FirstRankToFail_IsNamedWithItsHost) {
  const Json arm =
      arm_of("if [ $RANK = 1 ]; then echo rank one >&2; exit 3; fi; sleep 600", launched_by("2", "2"));
  EXPECT_EQ(message(arm), "rank 1 of topic/c:two on " + host_name() + " ended with exit status 3: rank one");
  EXPECT_EQ(arm.at("failure").at("kind"), "crashed");
}

TEST_F(LaunchedRunTest, LauncherThatHidesAFailedRank_DoesNotPass) {
  write_script("hides.sh", "for r in 0 1; do RANK=$r WORLD_SIZE=2 \"$@\" & done; wait; exit 0\n");
  EXPECT_THAT(message(arm_of(copy_ + "; [ $RANK = 0 ]", launched("hides.sh"))),
              HasSubstr("rank 1 of topic/c:two on"));
}

TEST_F(LaunchedRunTest, LauncherThatFailsAfterItsRanks_DoesNotPass) {
  write_script("late.sh", "for r in 0 1; do RANK=$r WORLD_SIZE=2 \"$@\" & done; wait; exit 4\n");
  EXPECT_EQ(message(arm_of(copy_, launched("late.sh"))),
            "topic/c:two: late.sh ended with exit status 4, and its ranks ended well");
}

TEST_F(LaunchedRunTest, SilentRanks_EndAtTheLimit) {
  const Json arm = arm_of("sleep 600", launched_by("2", "2"), "timeout_seconds = 0.5\n");
  EXPECT_EQ(arm.at("failure").at("kind"), "hung");
}

TEST_F(LaunchedRunTest, MissingLauncher_IsMissing) {
  const Json arm = arm_of(copy_, launched("no/such"));
  EXPECT_EQ(arm.at("failure").at("kind"), "missing");
  EXPECT_THAT(message(arm), HasSubstr("cannot start topic/c:two with launcher external (program " +
                                      (folder_ / "no/such").string() + " not found)"));
  EXPECT_EQ(exit_code_of(results_), ExitCode::missing);
}

TEST_F(LaunchedRunTest, CommandThatStartsItsRanks_IsStartedOnce) {
  const std::string keys = "ranks = 2\nlauncher = \"external\"\n";
  const Json arm = arm_of(
      "echo x >> {case_dir}/begun; [ -z \"${RANK+x}${MASTER_PORT+x}\" ] && cp {case_dir}/joined.h5 "
      "$PARITY_TRACE",
      keys);
  ASSERT_EQ(arm.at("status"), "complete") << arm.dump();
  EXPECT_EQ(read_file(folder_ / "cases/topic/begun"), "x\n");
  const Json one = arm_of("cp {case_dir}/good.h5 $PARITY_TRACE", keys);
  EXPECT_THAT(message(one), HasSubstr("was started with 2 ranks, but its trace has the values of 1"));
}

TEST_F(LaunchedRunTest, HeartbeatsOfTheCommandsRanks_Count) {
  const std::string beats =
      "for i in 1 2 3 4 5 6 7 8; do echo \"{\\\"step\\\": $i}\" > $(echo $PARITY_HEARTBEAT | sed "
      "s/{rank}/1/); sleep "
      "0.4; done; cp {case_dir}/joined.h5 $PARITY_TRACE";
  const Json arm = arm_of(beats, "ranks = 2\nlauncher = \"external\"\n", "timeout_seconds = 2\n");
  EXPECT_EQ(arm.at("status"), "complete") << arm.dump();
}

TEST_F(LaunchedRunTest, MachineOfAnotherKind_IsRefused) {
  const RankFiles files(folder_ / "launch");
  Json cpu = this_machine().cpu;
  cpu["vendor"] = "Another";
  files.begin({{"launcher", "srun"}, {"ranks", 1}, {"identity", {{"cpu", cpu}}}});
  files.write_rank(0, ProcessSpec{{"touch", (folder_ / "ran").string()}, {}, {}, {}});
  const CommandResult done = run_shell("SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1 " + places::build +
                                       "/bin/parity rank " + files.folder().string());
  EXPECT_EQ(WEXITSTATUS(done.status), 2) << done.output;
  EXPECT_THAT(files.refusal(), AllOf(HasSubstr("the machine of rank 0, "), HasSubstr("has the CPU ")));
  EXPECT_FALSE(fs::exists(folder_ / "ran"));
}

}  // namespace
}  // namespace parity::suite
