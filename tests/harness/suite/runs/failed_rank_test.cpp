// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/runs/failed_rank.hpp"

#include <csignal>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace parity::suite {
namespace {

const RankState runs = {};
const RankState is_held = {.ended = {}, .stopped = true, .waits_in = "all_reduce over dp"};

RankState works(int64_t collectives) {
  return {.ended = {}, .waits_in = "", .collectives = collectives};
}
RankState waits(int64_t collectives) {
  return {.ended = {}, .waits_in = "all_reduce over dp", .collectives = collectives};
}

/// As wait() reports them.
RankState exited(int status) {
  return {.ended = WaitStatus(status << 8), .waits_in = ""};
}
RankState killed(int signal) {
  return {.ended = WaitStatus(signal), .waits_in = ""};
}

void expect(const std::vector<RankState>& ranks, bool waited, size_t rank, FailedRank::Kind kind) {
  const auto found = find_failed_rank(ranks, waited);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank, rank);
  EXPECT_EQ(found->kind, kind);
}

TEST(CulpritTest, NobodyWhileAllRunOrEndWell) {
  EXPECT_FALSE(find_failed_rank(std::vector{runs, exited(0)}, true));
  EXPECT_FALSE(find_failed_rank(std::vector{is_held, runs}, true));
}

TEST(CulpritTest, ARankThatLostItsPeerIsNotTheFirstCause) {
  using enum FailedRank::Kind;
  EXPECT_FALSE(find_failed_rank(std::vector{exited(5), runs}, false));
  expect({exited(5), killed(9)}, false, 1, ended);
  expect({exited(5), exited(5), exited(4)}, false, 2, ended);
  expect({exited(1), exited(5), killed(11)}, false, 2, ended);
}

TEST(CulpritTest, ThenTheOneThatIsHeldOrLeftOrIsBehind) {
  using enum FailedRank::Kind;
  expect({exited(5), waits(9), is_held}, false, 2, stopped);
  expect({exited(5), exited(0), works(9)}, true, 1, left);
  expect({exited(5), waits(9), works(9)}, true, 2, behind);
  expect({exited(5), waits(7), waits(6)}, true, 2, behind);
  expect({exited(5), runs}, true, 1, behind);
  expect({exited(5), exited(5)}, true, 0, lost);
}

TEST(CulpritTest, ACommandsExitStatusFiveIsItsOwn) {
  RankState command = exited(5);
  command.reports_lost_peer = false;
  expect({runs, command}, false, 1, FailedRank::Kind::ended);
}

TEST(CulpritTest, LateRank_IsHeldOrWorksOrWaitsElsewhere) {
  const auto late = [](const std::vector<RankState>& ranks) {
    const auto found = find_late_rank(ranks);
    return found ? static_cast<int>(found->rank) : -1;
  };
  EXPECT_EQ(late({waits(9), is_held}), 1);
  EXPECT_EQ(late({waits(9), works(9), waits(9)}), 1);
  EXPECT_EQ(late({waits(9), works(12)}), 1) << "whoever works holds up, however far it has come";
  EXPECT_EQ(late({waits(9), waits(8), waits(9)}), 1);
  EXPECT_EQ(late({waits(9), exited(0), works(9)}), 1);
  EXPECT_EQ(late({works(9), exited(0)}), -1) << "it may still be writing";
  EXPECT_EQ(late({waits(9), waits(9)}), -1);
  EXPECT_EQ(late({works(0), works(0)}), -1) << "a command without collectives in its heartbeat";
}

TEST(CulpritTest, RankWithFewestUpdates_IsLateWhereNobodyReportsCollectives) {
  using enum FailedRank::Kind;
  RankState ahead = runs, late = runs, gone = exited(0), killed_early = exited(1);
  ahead.updates = 5;
  late.updates = gone.updates = 2;
  const auto found = find_late_rank(std::vector{ahead, late});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank, 1);
  EXPECT_EQ(found->kind, behind);
  const auto left_early = find_late_rank(std::vector{ahead, gone});
  ASSERT_TRUE(left_early);
  EXPECT_EQ(left_early->rank, 1);
  EXPECT_EQ(left_early->kind, left);
  EXPECT_FALSE(find_late_rank(std::vector{exited(0), gone})) << "no rank runs";
  EXPECT_FALSE(find_late_rank(std::vector{ahead, killed_early})) << "it failed by itself";
  EXPECT_FALSE(find_late_rank(std::vector{late, late}));
}

TEST(CulpritTest, AStoppedProcessIsSeen) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  EXPECT_FALSE(is_stopped(child));
  ::kill(child, SIGSTOP);
  int status = 0;
  ::waitpid(child, &status, WUNTRACED);
  EXPECT_TRUE(is_stopped(child));
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
  EXPECT_FALSE(is_stopped(child));
}

TEST(CulpritTest, LogLinesOfProcessGroupsAreLeftOut) {
  EXPECT_EQ(without_noise("[W1121 10:00:00 socket.cpp:1] x\nparity-train: lost\nframe #0: y"),
            "parity-train: lost");
  EXPECT_EQ(without_noise("[E1121 only this]"), "[E1121 only this]");
  EXPECT_EQ(without_noise("[W] ours\n[rank0]:[E1121 x"), "[W] ours");
  EXPECT_EQ(without_noise(""), "");
}

}  // namespace
}  // namespace parity::suite
