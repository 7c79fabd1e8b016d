// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs of several real ranks, one of which is killed or stopped at some point of the run.
#include <csignal>
#include <list>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "harness/suite/plan/rank_environment.hpp"
#include "harness/suite/runs/rank_command.hpp"
#include "harness/suite/runs/running_run.hpp"
#include "tests/end_to_end/ranks/small_run.hpp"
#include "tests/support/places.hpp"
#include "tests/support/scratch.hpp"

namespace parity {
namespace {
namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr int64_t steps = 300;
constexpr int points = 10;

/// Returns the process whose output is this file; 0 without one.
pid_t process_of(const fs::path& output) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos)
      continue;
    std::error_code gone;  // or of another user
    if (fs::read_symlink(entry.path() / "fd/1", gone) == output)
      return std::stoi(name);
  }
  return 0;
}

int64_t step_in(const fs::path& heartbeat) {
  try {
    return read_json(read_file(heartbeat)).value("step", int64_t{-1});
  } catch (const std::exception&) {
    return -1;
  }
}

class KilledRanksTest : public FolderTest {
 protected:
  static suite::PlannedRun run_of(int ranks, double timeout_seconds, int number = 0) {
    suite::PlannedRun run = small_run(ranks == 3 ? 3 : 2, ranks == 4 ? 2 : 1, steps);
    run.id = fmt::format("{:016x}", number);
    run.timeout_seconds = timeout_seconds;
    return run;
  }

  /// A run, and what happens to one of its ranks when it reaches a step.
  struct Harmed {
    int rank = 0;
    int64_t step = 0;
    int signal = 0;
    suite::RunningRun running;
    pid_t victim = 0;
    bool done = false;
    std::optional<std::chrono::steady_clock::time_point> ended;
    std::chrono::steady_clock::time_point harmed;

    Harmed(const suite::PlannedRun& run, const suite::RunStore& store, int point, int the_signal)
        : rank(point % run.ranks),
          step(point * steps / (points + 2)),
          signal(the_signal),
          running(run, store, places::build + "/bin/parity-train") {}

    fs::path heartbeat(int of) const {
      return fs::absolute(running.result().folder) / suite::heartbeat_name(of);
    }
    fs::path output(int of) const {
      return fs::absolute(running.result().folder) / (of == 0 ? "stdout" : fmt::format("stdout.rank{}", of));
    }
    bool poll() {
      if (ended)
        return true;
      const int64_t come_to = done ? -1 : step_in(heartbeat(rank));
      if (victim == 0 && come_to >= 0)
        victim = process_of(output(rank));
      if (victim > 0 && come_to >= step) {
        done = ::kill(victim, signal) == 0;
        harmed = std::chrono::steady_clock::now();
      }
      if (running.poll())
        ended = std::chrono::steady_clock::now();
      return ended.has_value();
    }
  };

  /// Expects what holds however a run failed: nothing of it remains, and it ended in time.
  static void expect_clean_end(const Harmed& run, int ranks) {
    EXPECT_TRUE(run.done) << "rank " << run.rank << " was gone before step " << run.step;
    EXPECT_LT(*run.ended - run.harmed, std::chrono::seconds(25));
    for (int rank = 0; rank < ranks; ++rank)
      EXPECT_EQ(process_of(run.output(rank)), 0) << "a process is left";
    for (const auto& entry : fs::directory_iterator(run.running.result().folder))
      EXPECT_THAT(entry.path().filename().string(), Not(StartsWith("rendezvous")));
  }

  /// A program that runs the given line on one rank and parity-train on the others.
  fs::path trainer_with(int rank, const std::string& commands) const {
    const fs::path file = folder / "trainer.sh";
    write_file(file, fmt::format("#!/bin/sh\nif [ $RANK = {} ]; then {}\nfi\nexec '{}/bin/parity-train' "
                                 "\"$@\"\n",
                                 rank, commands, places::build));
    ::chmod(file.c_str(), 0755);
    return file;
  }
  suite::RunResult run_to_end(int ranks, double timeout_seconds, const fs::path& trainer) const {
    const suite::RunStore store(folder / "out");
    suite::RunningRun running(run_of(ranks, timeout_seconds), store, trainer);
    while (!running.poll())
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return running.result();
  }
};

/// At one of ten points of a run.
class KilledRankTest : public KilledRanksTest, public testing::WithParamInterface<int> {};

TEST_P(KilledRankTest, IsNamed) {
  const suite::RunStore store(folder / "out");
  const int point = GetParam(), ranks = 2 + point % 3;
  Harmed run(run_of(ranks, 60, point), store, point, SIGKILL);
  while (!run.poll())
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  const suite::RunResult& result = run.running.result();
  ASSERT_TRUE(result.failure);
  EXPECT_EQ(result.failure->kind, results::FailureKind::crashed);
  EXPECT_THAT(result.failure->message,
              StartsWith(fmt::format("rank {} of topic/c:arm was killed by signal 9 (KILL)", run.rank)));
  EXPECT_THAT(result.stderr_tail, Not(HasSubstr("did not end")));
  EXPECT_LT(*run.ended - run.harmed, std::chrono::seconds(10));
  expect_clean_end(run, ranks);
}

INSTANTIATE_TEST_SUITE_P(Points, KilledRankTest, testing::Range(0, points));

/// One rank trains a policy, and the other only generates.
TEST_F(KilledRanksTest, RankOfEitherHalfOfAPolicy_IsNamed) {
  for (const int rank : {0, 1}) {
    suite::PlannedRun run = run_of(2, 60, rank);
    run.config["parallel.dp_replicate"] = 1;
    run.config["data.source"] = "rollouts";
    run.config["rl.generator.ranks"] = 1;
    const suite::RunStore store(folder / "out");
    Harmed harmed(run, store, rank, SIGKILL);
    harmed.step = 5;
    while (!harmed.poll())
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const suite::RunResult& result = harmed.running.result();
    ASSERT_TRUE(result.failure);
    EXPECT_EQ(result.failure->kind, results::FailureKind::crashed);
    EXPECT_THAT(result.failure->message,
                StartsWith(fmt::format("rank {} of topic/c:arm was killed by signal 9 (KILL)", rank)));
    expect_clean_end(harmed, 2);
  }
}

/// Some of ten points of a run, all at once, because each waits for its timeout.
class StoppedRanksTest : public KilledRanksTest, public testing::WithParamInterface<std::vector<int>> {};

TEST_P(StoppedRanksTest, AreNamedAndNotTheOnesThatWait) {
  const suite::RunStore store(folder / "out");
  std::list<Harmed> runs;
  for (const int point : GetParam())
    runs.emplace_back(run_of(2 + point % 3, 12, point), store, point, SIGSTOP);
  for (bool all_ended = false; !all_ended; std::this_thread::sleep_for(std::chrono::milliseconds(5))) {
    all_ended = true;
    for (Harmed& run : runs)
      all_ended = run.poll() && all_ended;
  }
  for (const Harmed& run : runs) {
    const suite::RunResult& result = run.running.result();
    ASSERT_TRUE(result.failure);
    EXPECT_EQ(result.failure->kind, results::FailureKind::hung);
    EXPECT_THAT(result.failure->message,
                StartsWith(fmt::format("rank {} of topic/c:arm is stopped by a signal, ", run.rank)));
    if (run.step > 0) {
      EXPECT_THAT(result.failure->message,
                  AllOf(HasSubstr("at update "), ContainsRegex(" wait(s|ed) in .*, collective [1-9]")));
    }
    expect_clean_end(run, run.running.run().ranks);
  }
}

INSTANTIATE_TEST_SUITE_P(Point, StoppedRanksTest, testing::Values(std::vector{5}));
INSTANTIATE_TEST_SUITE_P(Points, StoppedRanksTest,
                         testing::Values(std::vector{0, 2, 4, 6, 8}, std::vector{1, 3, 7, 9}));

TEST_F(KilledRanksTest, ARankThatCrashesBeforeTheStoreIsNamed) {
  const suite::RunResult killed = run_to_end(3, 60, trainer_with(1, "kill -SEGV $$"));
  EXPECT_EQ(killed.failure->message, "rank 1 of topic/c:arm was killed by signal 11 (SEGV)");
  const suite::RunResult told = run_to_end(3, 60, trainer_with(2, "echo no such library >&2; exit 127"));
  EXPECT_EQ(told.failure->message, "rank 2 of topic/c:arm ended with exit status 127: no such library");
  EXPECT_EQ(told.stderr_tail, "no such library");
}

TEST_F(KilledRanksTest, RankMissingFromStore_IsNamedAtTimeLimit) {
  const suite::RunResult result = run_to_end(2, 8, trainer_with(1, "echo loading >&2; exec sleep 600"));
  EXPECT_EQ(result.failure->kind, results::FailureKind::hung);
  EXPECT_THAT(
      result.failure->message,
      AllOf(StartsWith("rank 1 of topic/c:arm delays the others, before it reported an update; rank 0 "
                       "waits in meeting of world, collective 0"),
            HasSubstr("no sign of life for 8.0s"), EndsWith(": loading")));
}

TEST_F(KilledRanksTest, RankThatLeavesEarly_IsNamedNotItsWaiters) {
  const suite::RunResult result = run_to_end(2, 3, trainer_with(1, "exit 0"));
  EXPECT_EQ(result.failure->kind, results::FailureKind::crashed);
  EXPECT_THAT(result.failure->message, StartsWith("rank 1 of topic/c:arm ended with exit status 0"));
}

TEST_F(KilledRanksTest, RanksThatDisagreeOnTheConfigSayInWhat) {
  const std::string elsewhere = fmt::format(
      "sed 's/\"seq_len\": 8/\"seq_len\": 16/' \"$PARITY_CONFIG\" > '{0}'; PARITY_CONFIG='{0}'; "
      "export PARITY_CONFIG",
      (folder / "other.json").string());
  const suite::RunResult result = run_to_end(2, 60, trainer_with(1, elsewhere));
  EXPECT_EQ(result.failure->kind, results::FailureKind::bad_config);
  EXPECT_THAT(result.failure->message, EndsWith("rank 1 has another config than rank 0 (data.seq_len is 16 "
                                                "against 8); start every rank with the same one"));
}

}  // namespace
}  // namespace parity
