// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/base/files/folder_lock.hpp"
#include "harness/suite/cases/find_cases.hpp"
#include "harness/suite/results/case_results.hpp"
#include "harness/trace/hdf5/probe.hpp"
#include "tests/harness/suite/suite_fixture.hpp"
#include "tests/support/scratch.hpp"

namespace parity::suite {
namespace {
namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

/// Runs that crash, hang, print too much or leave nothing: each is named, and the suite continues.
class RunsTest : public SuiteTest {
 protected:
  void SetUp() override {
    SuiteTest::SetUp();
    write_trace("good", falling_losses());
  }
  static const Json& arm(const Json& results, size_t i) { return results.at("cases").at(0).at("arms").at(i); }
  std::string head(const std::string& more = "") const { return more + "[golden]\narms = []\n"; }
  Json run_against_good(const std::string& arm, const std::string& more = "") {
    return run({write_case("c", head(more) + copying_arm("good", "good") + arm + losses_identical())});
  }
};

TEST_F(RunsTest, ACrashIsToldWithStatusAndLastWords) {
  const Json results = run_against_good(shell_arm("bad", "echo early >&2; echo the reason >&2; exit 7"));
  EXPECT_EQ(arm(results, 1).at("status"), "failed");
  EXPECT_EQ(arm(results, 1).at("failure").at("kind"), "crashed");
  EXPECT_EQ(arm(results, 1).at("failure").at("message"), "topic/c:bad ended with exit status 7: the reason");
  EXPECT_EQ(arm(results, 1).at("stderr_tail"), "early\nthe reason");
  EXPECT_EQ(arm(results, 0).at("status"), "complete");
  EXPECT_EQ(results.at("cases").at(0).at("checks").at(0).at("verdict"), "crashed");
  EXPECT_EQ(exit_code_of(results), ExitCode::crashed);
}

TEST_F(RunsTest, AKilledChildIsToldWithItsSignal) {
  const Json results = run_against_good(shell_arm("bad", "kill -9 $$"));
  EXPECT_THAT(arm(results, 1).at("failure").at("message").get<std::string>(),
              HasSubstr(":bad was killed by signal 9 (KILL)"));
}

/// Rank 0 has ended its updates and waits for rank 1, which hangs in one of them, or has left.
TEST_F(RunsTest, RankBehindTheOthers_IsNamed) {
  const auto message_of = [&](const std::string& end) {
    const std::string script =
        "[ $RANK = 0 ] && step=5 || step=2; echo \"{\\\"step\\\": $step}\" > $PARITY_HEARTBEAT.part; "
        "mv $PARITY_HEARTBEAT.part $PARITY_HEARTBEAT; [ $RANK = 0 ] && sleep 600; " +
        end;
    const Json results = run_against_good(shell_arm("bad", script) + "ranks = 2\n", "timeout_seconds = 1\n");
    return arm(results, 1).at("failure").at("message").get<std::string>();
  };
  EXPECT_THAT(message_of("sleep 600"),
              HasSubstr("rank 1 of topic/c:bad delays the others, at update 2; no sign"));
  EXPECT_THAT(message_of("exit 0"),
              HasSubstr("rank 1 of topic/c:bad ended with exit status 0, at update 2, before"));
}

TEST_F(RunsTest, AHangIsEndedAtTheLimit) {
  const Json results =
      run_against_good(shell_arm("bad", "echo stuck >&2; sleep 600"), "timeout_seconds = 0.5\n");
  EXPECT_EQ(arm(results, 1).at("failure").at("kind"), "hung");
  EXPECT_THAT(
      arm(results, 1).at("failure").at("message").get<std::string>(),
      AllOf(HasSubstr("no sign of life for 0.5s"), HasSubstr("timeout_seconds"), HasSubstr(": stuck")));
}

TEST_F(RunsTest, AHeartbeatKeepsASlowRunAlive) {
  const Json results = run_against_good(
      shell_arm("slow",
                "for i in 1 2 3 4 5 6; do echo \"{\\\"step\\\": $i}\" > $PARITY_HEARTBEAT; sleep 0.4; done; "
                "cp {case_dir}/good.h5 $PARITY_TRACE"),
      "timeout_seconds = 1.5\n");
  EXPECT_EQ(arm(results, 1).at("status"), "complete") << arm(results, 1).dump();
}

TEST_F(RunsTest, FirstRankToDie_IsNamedOthersAreEnded) {
  const Json results = run_against_good(
      shell_arm("bad", "if [ $RANK = 1 ]; then echo rank one >&2; exit 3; fi; sleep 600") + "ranks = 3\n");
  EXPECT_EQ(arm(results, 1).at("failure").at("message"),
            "rank 1 of topic/c:bad ended with exit status 3: rank one");
}

TEST_F(RunsTest, RanksKnowWhoTheyAre) {
  const std::string good = (folder_ / "cases/topic/good.h5").string();
  const CommandResult joined =
      run_python(folder_,
                 "import h5py, sys\nf = h5py.File(sys.argv[1], 'r+')\ndel f.attrs['digest']\n"
                 "f.attrs['schema'], f.attrs['joined_ranks'] = 'parity.trace/1.1', 2\n",
                 good);
  ASSERT_EQ(joined.status, 0) << joined.output;
  write_trace("one", falling_losses());
  const Json results = run({write_case(
      "c",
      head() + copying_arm("one", "one") +
          shell_arm(
              "ranks",
              "echo "
              "$RANK/$WORLD_SIZE/$LOCAL_RANK/$PARITY_DTYPE/$OMP_NUM_THREADS/$MASTER_ADDR/$PARITY_RENDEZVOUS"
              " > {run_dir}/rank.$RANK; [ $RANK = 1 ] || cp {case_dir}/good.h5 $PARITY_TRACE") +
          "ranks = 2\n" + losses_identical())});
  ASSERT_EQ(arm(results, 1).at("status"), "complete") << arm(results, 1).dump();
  const fs::path folder = folder_ / "out/runs" / arm(results, 1).at("run").get<std::string>();
  const std::string zero = read_file(folder / "rank.0");
  const std::string one = read_file(folder / "rank.1");
  EXPECT_THAT(zero, testing::StartsWith("0/2/0/float32/1/127.0.0.1/"));
  EXPECT_THAT(one, testing::StartsWith("1/2/1/float32/1/127.0.0.1/"));
  EXPECT_EQ(zero.substr(8), one.substr(8));  // one rendezvous
}

TEST_F(RunsTest, OneProcessThatStatesNoRanks_StartsAsByHand) {
  ::setenv("WORLD_SIZE", "8", 1);  // parity itself may run below torchrun
  const std::string shows =
      "echo $RANK,$WORLD_SIZE,$MASTER_ADDR > {run_dir}/ranks; cp {case_dir}/one.h5 $PARITY_TRACE";
  write_trace("one", falling_losses());
  const Json results = run({write_case("c", head() + shell_arm("plain", shows) + shell_arm("ranked", shows) +
                                                "ranks = 1\n" + losses_identical())});
  ::unsetenv("WORLD_SIZE");
  const auto shown = [&](size_t place) {
    return read_file(folder_ / "out/runs" / arm(results, place).at("run").get<std::string>() / "ranks");
  };
  EXPECT_EQ(shown(0), ",,\n");
  EXPECT_EQ(shown(1), "0,1,127.0.0.1\n");
}

TEST_F(RunsTest, LongOutput_GoesToFilesOnlyItsEndIsShown) {
  const Json results = run_against_good(
      shell_arm("loud", "head -c 8000000 /dev/zero | tr '\\0' x >&2; echo >&2; echo end >&2; exit 1"));
  EXPECT_THAT(arm(results, 1).at("failure").at("message").get<std::string>(),
              HasSubstr("exit status 1: end"));
  EXPECT_LT(arm(results, 1).at("stderr_tail").get<std::string>().size(), 10000U);
}

TEST_F(RunsTest, SuccessWithoutATraceIsAFailure) {
  const Json results = run_against_good(shell_arm("bad", "exit 0"));
  EXPECT_EQ(arm(results, 1).at("failure").at("kind"), "no_trace");
}

TEST_F(RunsTest, RecorderThatStoppedGivesItsReason) {
  write_trace("stopped", falling_losses());
  const CommandResult marked =
      run_python(folder_,
                 "import h5py, sys\nf = h5py.File(sys.argv[1], 'r+')\ndel f.attrs['digest']\n"
                 "f.attrs['status'], f.attrs['failure'] = 'partial', '{\"reason\": \"the disk is full\"}'\n",
                 (folder_ / "cases/topic/stopped.h5").string());
  ASSERT_EQ(marked.status, 0) << marked.output;
  const Json results = run_against_good(shell_arm("bad", "cp {case_dir}/stopped.h5 $PARITY_TRACE.partial"));
  EXPECT_EQ(arm(results, 1).at("failure").at("kind"), "bad_trace");
  EXPECT_THAT(arm(results, 1).at("failure").at("message").get<std::string>(),
              HasSubstr("bad was not recorded beyond update 10 (the disk is full); fix this"));
}

TEST_F(RunsTest, ATraceThatIsNoneIsAFailure) {
  const Json results = run_against_good(shell_arm("bad", "echo nonsense > $PARITY_TRACE"));
  EXPECT_EQ(arm(results, 1).at("failure").at("kind"), "bad_trace");
}

TEST_F(RunsTest, ATrainerThatDoesNotReadItsFaultsIsAFailure) {
  Case source =
      write_case("c", head() + copying_arm("a", "good") + copying_arm("b", "good") + losses_identical());
  source.arms[1].faults = {{trace::FaultKind::scale, {3}, trace::Phase::grad, "w", 0.5, 0, {}, {}, {}}};
  const Json results = run({source});
  const Json& failure = arm(results, 1).at("failure");
  EXPECT_EQ(failure.at("kind"), "bad_fault");
  EXPECT_THAT(failure.at("message").get<std::string>(),
              HasSubstr("scale by 0.5 of grad w at step 3' was not injected (its trace does not report it"));
}

TEST_F(RunsTest, AProgramThatIsNotThereIsAFailure) {
  const Json results = run_against_good("[arms.bad]\ncommand = [\"/no/such/program\"]\n");
  EXPECT_EQ(arm(results, 1).at("failure").at("kind"), "missing");
  EXPECT_EQ(exit_code_of(results), ExitCode::missing);
  EXPECT_THAT(results.at("cases").at(0).at("sentence").get<std::string>(),
              HasSubstr("arm bad: cannot start '/no/such/program'"));
}

TEST_F(RunsTest, PlaceholdersAreReplacedAndNothingElse) {
  const Json results = run_against_good(
      "[base]\nsteps = 10\n[arms.words]\ncommand = [\"/bin/sh\", \"-c\", "
      "'printf \"%s|\" \"$@\" > {run_dir}/words; cp {case_dir}/good.h5 $PARITY_TRACE', "
      "\"sh\", \"{steps}\", \"{dtype}\", \"{other}\", \"$HOME\", \"a b\"]\n");
  const fs::path folder = folder_ / "out/runs" / arm(results, 1).at("run").get<std::string>();
  EXPECT_EQ(read_file(folder / "words"), "10|float32|{other}|$HOME|a b|");
}

TEST_F(RunsTest, NamesOfAForeignTrainerAreMapped) {
  const auto write = [&](const std::string& file, const std::string& name, float value) {
    const std::vector<float> data = {1.0F, value};
    trace::Recorder recorder({folder_ / "cases/topic" / (file + ".h5"),
                              Json::object(),
                              Json::object(),
                              {.sketches = {{{}, {}, {"*"}}}},
                              0});
    recorder.begin_step(1);
    recorder.channel("x", 1.0);
    recorder.tensor(trace::Phase::grad, name, {DType::float32, {2}, data.data()});
    recorder.end_step();
    recorder.finish();
  };
  write("ours", "layers.3.wq", 2.0F);
  write("theirs", "model.h3.query", 2.0F);
  const std::string text = head() + copying_arm("ours", "ours") + copying_arm("theirs", "theirs") +
                           "[arms.theirs.names]\n'^model\\.h(\\d+)\\.query$' = 'layers.$1.wq'\n" +
                           "[[checks]]\ntensor = \"*\"\nphase = \"grad\"\nrelation = \"identical\"\n"
                           "because = \"x\"\n";
  const Json same = run({write_case("c", text)});
  EXPECT_TRUE(same.at("cases").at(0).at("passed").get<bool>()) << same.at("cases").at(0).at("sentence");
  write("theirs", "model.h3.query", 3.0F);
  EXPECT_FALSE(run({write_case("c", text)}).at("cases").at(0).at("passed").get<bool>());
}

TEST_F(RunsTest, ANameTooLongForTheNamesTableFailsItsCase) {
  for (const size_t size : {1000U, 60'000U}) {
    const CommandResult written = run_python(
        folder_,
        "import sys, h5py\n"
        "with h5py.File(sys.argv[1], 'w') as f:\n"
        "    f.attrs['schema'], f.attrs['status'], f['steps'] = 'parity.trace/1.0', 'complete', [1]\n"
        "    f['channels/x'] = [1.0]\n"
        "    f['tensors/1/grad/' + int(sys.argv[2]) * 'x' + '/0'] = [1.0]\n",
        (folder_ / "cases/topic/long.h5").string() + " " + std::to_string(size));
    ASSERT_EQ(written.status, 0) << written.output;
    const Json results =
        run({write_case("c", head() + copying_arm("a", "long") + "[arms.a.names]\n'(x|y)*' = 'z'\n" +
                                 copying_arm("b", "long") + "[arms.b.names]\n'(x|y)*' = 'z'\n" +
                                 "[[checks]]\ntensor = \"*\"\nphase = \"grad\"\nrelation = \"identical\"\n"
                                 "because = \"x\"\n")});
    EXPECT_EQ(results.at("cases").at(0).at("passed"), size == 1000U)
        << results.at("cases").at(0).at("sentence");
    if (size > 1000U) {
      EXPECT_THAT(arm(results, 0).at("failure").at("message").get<std::string>(), HasSubstr("the limit is"));
    }
  }
}

TEST_F(RunsTest, ASecondRunIsAnsweredFromTheCache) {
  const Case item = write_case("c", head() + copying_arm("a", "good") + copying_arm("b", "good") +
                                        shell_arm("c", "cp {case_dir}/good.h5 $PARITY_TRACE") +
                                        losses_identical() + "arms = [\"a\", \"b\"]\n");
  EXPECT_EQ(run({item}).at("summary").at("runs"), 3);
  const Json second = run({item});
  EXPECT_TRUE(arm(second, 0).at("cached").get<bool>());
  EXPECT_FALSE(arm(second, 2).at("cached").get<bool>());  // a command without inputs
  EXPECT_EQ(second.at("summary").at("runs_cached"), 2);
  EXPECT_EQ(run({item}, golden::GoldenMode::compare, false).at("summary").at("runs_cached"), 0);
}

TEST_F(RunsTest, ATraceWithAnotherDateIsReadBeforeItIsAnAnswer) {
  const Case item =
      write_case("c", head() + copying_arm("a", "good") + copying_arm("b", "good") + losses_identical());
  const fs::path folder = folder_ / "out/runs" / arm(run({item}), 0).at("run").get<std::string>();
  const fs::path trace = folder / "trace.h5";
  EXPECT_EQ(Json::parse(read_file(folder / "run.json")).at("trace_state"),
            "trace.h5 " + trace::file_state(trace) + "| ");
  fs::copy_file(trace, folder / "copy.h5");  // as after restoring a backup
  fs::rename(folder / "copy.h5", trace);
  EXPECT_TRUE(arm(run({item}), 0).at("cached").get<bool>());
  fs::resize_file(trace, fs::file_size(trace) - 100);
  EXPECT_FALSE(arm(run({item}), 0).at("cached").get<bool>());
}

TEST_F(RunsTest, AChangedInputRunsAgain) {
  const Case item =
      write_case("c", head() + copying_arm("a", "good") + copying_arm("b", "good") + losses_identical());
  run({item});
  std::vector<double> other = falling_losses();
  other[3] += 1e-9;
  write_trace("good", other);
  EXPECT_FALSE(arm(run({item}), 0).at("cached").get<bool>());
}

TEST_F(RunsTest, ARunThatWasKilledOrFailedIsNotAnAnswer) {
  const Case item =
      write_case("c", head() + copying_arm("a", "good") + copying_arm("b", "good") + losses_identical());
  const fs::path folder = folder_ / "out/runs" / arm(run({item}), 0).at("run").get<std::string>();
  fs::remove(folder / "run.json");
  EXPECT_FALSE(arm(run({item}), 0).at("cached").get<bool>());
  fs::remove(folder / "trace.h5");
  EXPECT_FALSE(arm(run({item}), 0).at("cached").get<bool>());
  write_file(folder / "run.json", "{half");
  EXPECT_FALSE(arm(run({item}), 0).at("cached").get<bool>());
  EXPECT_TRUE(arm(run({item}), 0).at("cached").get<bool>());
}

TEST_F(RunsTest, AnOutputFolderInUseIsRefused) {
  const Case item =
      write_case("c", head() + copying_arm("a", "good") + copying_arm("b", "good") + losses_identical());
  const FolderLock other(folder_ / "out", "parity run");
  EXPECT_THROW(run({item}), UserError);
}

TEST_F(RunsTest, CasesAreFoundByFileFolderNameAndGlob) {
  const std::string text = copying_arm("a", "good") + copying_arm("b", "good") + losses_identical();
  write_case("one", text);
  write_case("two", text);
  const fs::path root = folder_ / "cases";
  const auto count = [&](const std::string& what) { return find_case_files({{what}, {}}, root).size(); };
  EXPECT_EQ(find_case_files({{}, {}}, root).size(), 2U);
  EXPECT_EQ(count("topic/one"), 1U);
  EXPECT_EQ(count("topic/*"), 2U);
  EXPECT_EQ(count("topic"), 2U);
  EXPECT_EQ(count((root / "topic/two.toml").string()), 1U);
  try {
    count("topic/oen");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'topic/one'"));
  }
}

TEST_F(RunsTest, SlowCasesAndOtherTrainersWaitForTheirNameOrTheirTag) {
  const std::vector<std::string> slow = {"full", "slow"}, frameworks = {"frameworks"};
  EXPECT_EQ(unasked_tag({}, slow), "slow");
  EXPECT_EQ(unasked_tag({{}, {"full"}}, slow), "slow");
  EXPECT_EQ(unasked_tag({{}, {"fast", "slow"}}, slow), std::nullopt);
  EXPECT_EQ(unasked_tag({{"topic/*"}, {}}, slow), std::nullopt);
  EXPECT_EQ(unasked_tag({}, {"full"}), std::nullopt);
  EXPECT_EQ(unasked_tag({{}, {"slow"}}, frameworks), "frameworks");
  EXPECT_EQ(unasked_tag({{}, {"frameworks"}}, frameworks), std::nullopt);
  EXPECT_EQ(unasked_tag({{}, {"frameworks"}}, {"frameworks", "slow"}), "slow");
}

}  // namespace
}  // namespace parity::suite
