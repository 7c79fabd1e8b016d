// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>

#include "tests/harness/cli/program_fixture.hpp"

namespace parity::cli {
namespace {
namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

/// The program with streams that are closed or full, under limits, and when it is killed.
using StreamsTest = ProgramTest;

TEST_F(StreamsTest, AClosedOrFullStderr_ChangesNoStatus) {
  write_different();
  for (const char* stderr_is : {"2>&-", "2>/dev/full"}) {
    const std::string end = std::string(" ") + stderr_is;
    EXPECT_EQ(shell("sh -c 'parity run topic/same" + end + "'").status, 0) << end;
    EXPECT_EQ(shell("sh -c 'parity run topic/differ" + end + "'").status, 1) << end;
    EXPECT_EQ(shell("sh -c 'parity run topic/nothing" + end + "'").status, 2) << end;
    EXPECT_EQ(shell("sh -c 'parity list" + end + "'").status, 0) << end;
    EXPECT_EQ(shell("sh -c 'parity compare topic/differ:first topic/differ:second" + end + "'").status, 1)
        << end;
    EXPECT_EQ(shell("sh -c 'parity" + end + "'").status, 2) << end;
    EXPECT_EQ(shell("sh -c 'parity run --no-such-option" + end + "'").status, 2) << end;
  }
}

TEST_F(StreamsTest, AClosedStdout_IsAnErrorAndFillsNoFile) {
  EXPECT_EQ(shell("sh -c 'parity run topic/same >&-'").status, 2);
  EXPECT_THAT(read_file(folder_ / "out/suite/.lock"), Not(HasSubstr("bit for bit")));
  EXPECT_EQ(shell("sh -c 'parity --help >&-'").status, 2);
}

TEST_F(StreamsTest, AllStreamsClosed_KeepsTheVerdict) {
  write_different();
  EXPECT_EQ(shell("sh -c 'parity report --help <&- >&- 2>&-'").status, 2);
  EXPECT_EQ(shell("sh -c 'parity run topic/differ <&- 2>&-'").status, 1);
}

TEST_F(StreamsTest, AFileTooLarge_IsToldWithItsReason) {
  // 8 KiB, enough for the list of a program's libraries
  const Outcome outcome = shell("sh -c 'ulimit -f 16; parity run topic/same'");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("File too large"));
}

TEST_F(StreamsTest, WhatACommandStarted_DiesWithParity) {
  for (const int signal : {SIGKILL, SIGHUP}) {
    fs::remove(folder_ / "pid");
    write_case("daemon",
               no_golden() + copying_arm("x", "a") +
                   shell_arm("y", "sleep 600 & echo $! > " + (folder_ / "pid").string() + "; wait") +
                   losses_identical());
    Process process = Process::spawn(spec("parity run topic/daemon --jobs 4"));
    pid_t child = 0;
    for (int i = 0; i < 1000 && child == 0; ++i) {
      std::ifstream(folder_ / "pid") >> child;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ASSERT_GT(child, 0);
    ::kill(process.pid(), signal);
    process.wait_for(std::chrono::seconds(20));
    const auto alive = [&] {
      std::ifstream in("/proc/" + std::to_string(child) + "/cmdline");
      std::string line;
      std::getline(in, line);
      return !line.empty();
    };
    for (int i = 0; i < 1000 && alive(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_FALSE(alive()) << signal;
    if (alive())
      ::kill(child, SIGKILL);
  }
}

}  // namespace
}  // namespace parity::cli
