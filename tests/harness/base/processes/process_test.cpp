// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/processes/process.hpp"

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"

namespace parity {
namespace {
namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

class ProcessTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "process_XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  ProcessSpec shell(const std::string& script) const {
    ProcessSpec spec;
    spec.argv = {"/bin/sh", "-c", script};
    spec.stdout_file = folder_ / "out";
    spec.stderr_file = folder_ / "err";
    return spec;
  }
  fs::path folder_;
};

TEST_F(ProcessTest, ArgumentsArriveWithoutAShell) {
  ProcessSpec spec = shell("");
  spec.argv = {"printf", "%s|", "$HOME", "a b", "*", ";"};
  Process::spawn(spec).wait_for(seconds(20));
  EXPECT_EQ(read_file(folder_ / "out"), "$HOME|a b|*|;|");
}

TEST_F(ProcessTest, EnvironmentIsAddedAndReplaced) {
  ProcessSpec spec = shell("printf %s \"$HOME-$PARITY_TEST_VALUE\"");
  spec.environment = {{"HOME", "elsewhere"}, {"PARITY_TEST_VALUE", "x=y"}};
  Process::spawn(spec).wait_for(seconds(20));
  EXPECT_EQ(read_file(folder_ / "out"), "elsewhere-x=y");
}

TEST_F(ProcessTest, ExitStatusAndSignalAreToldInWords) {
  EXPECT_EQ(Process::spawn(shell("exit 3")).wait_for(seconds(20))->text(), "exit status 3");
  EXPECT_EQ(Process::spawn(shell("kill -9 $$")).wait_for(seconds(20))->text(), "killed by signal 9 (KILL)");
  EXPECT_FALSE(Process::spawn(shell("exit 3")).wait_for(seconds(20))->succeeded());
  EXPECT_TRUE(Process::spawn(shell("exit 0")).wait_for(seconds(20))->succeeded());
}

TEST_F(ProcessTest, AMissingProgramIsTheUsersError) {
  ProcessSpec spec;
  spec.argv = {"no-such-program-anywhere"};
  EXPECT_THROW(Process::spawn(spec), UserError);
  spec.argv = {"/no/such/program"};
  try {
    Process::spawn(spec);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("No such file"));
    EXPECT_EQ(error.code(), ExitCode::missing);
  }
}

TEST_F(ProcessTest, WaitingStopsAtTheDeadline) {
  Process process = Process::spawn(shell("sleep 60"));
  EXPECT_FALSE(process.wait_for(milliseconds(20)).has_value());
}

TEST_F(ProcessTest, AProcessThatIgnoresTermIsKilled) {
  Process process = Process::spawn(shell("trap '' TERM; echo ready; while :; do sleep 0.05; done"));
  while (!fs::exists(folder_ / "out") || fs::file_size(folder_ / "out") == 0)
    std::this_thread::sleep_for(milliseconds(5));
  EXPECT_EQ(process.stop(milliseconds(50)).text(), "killed by signal 9 (KILL)");
}

TEST_F(ProcessTest, ASignalToTheGroupReachesGrandchildren) {
  Process process = Process::spawn(shell("sleep 60 & echo $! ; wait"));
  while (!fs::exists(folder_ / "out") || fs::file_size(folder_ / "out") == 0)
    std::this_thread::sleep_for(milliseconds(5));
  const pid_t grandchild = std::stoi(read_file(folder_ / "out"));
  EXPECT_EQ(::getpgid(grandchild), process.pid());
  signal_group(process.pid(), SIGKILL);
  EXPECT_EQ(process.wait_for(seconds(20))->text(), "killed by signal 9 (KILL)");
}

TEST_F(ProcessTest, ChildrenDieWithTheLauncher) {
  const pid_t launcher = ::fork();
  if (launcher == 0) {
    Process child = Process::spawn(shell("sleep 60"));
    std::ofstream(folder_ / "pid") << child.pid() << std::flush;
    ::_exit(0);  // no destructor runs, as when killed
  }
  ::waitpid(launcher, nullptr, 0);
  const pid_t child = std::stoi(read_file(folder_ / "pid"));
  // The orphan may stay a zombie if no process reaps it; its state shows that it is dead.
  const auto alive = [&] {
    std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
    std::string pid, name, state;
    return static_cast<bool>(stat >> pid >> name >> state) && state != "Z" && state != "X";
  };
  for (int i = 0; i < 400 && alive(); ++i)
    std::this_thread::sleep_for(milliseconds(10));
  EXPECT_FALSE(alive());
}

TEST_F(ProcessTest, QuotedCommandLinesComeBackFromAShell) {
  const std::vector<std::string> argv = {"printf", "%s|", "a b", "it's", "$HOME", "", "layers.*"};
  Process::spawn(shell(shell_quote(argv))).wait_for(seconds(20));
  EXPECT_EQ(read_file(folder_ / "out"), "a b|it's|$HOME||layers.*|");
}

TEST_F(ProcessTest, QuotedWordsHoldNothingThatATerminalActsOn) {
  const std::vector<std::string> argv = {"a\x1b[31m", "two\nlines", "\xff", "it's\x07\\", "caf\xC3\xA9 x"};
  const std::string line = shell_quote(argv);
  EXPECT_EQ(line, "$'a\\x1b[31m' $'two\\x0alines' $'\\xff' $'it\\'s\\x07\\\\' 'caf\xC3\xA9 x'");
  ProcessSpec bash = shell("");
  bash.argv = {"bash", "-c", "printf '%s|' " + line};
  Process::spawn(bash).wait_for(seconds(20));
  EXPECT_EQ(read_file(folder_ / "out"), "a\x1b[31m|two\nlines|\xff|it's\x07\\|caf\xC3\xA9 x|");
}

TEST_F(ProcessTest, ATailThatCutsACharacterIsStillUtf8) {
  std::string text;
  for (int i = 0; i < 5000; ++i)
    text += "\xE2\x82\xAC";
  write_file(folder_ / "log", text);
  for (const size_t bytes : {99U, 100U, 101U})
    EXPECT_EQ(tail_of(folder_ / "log", 3, bytes).size(), 99U);
}

TEST_F(ProcessTest, TheTailOfAFileIsItsLastLines) {
  write_file(folder_ / "log", "one\ntwo\nthree \x1b[31m\n");
  EXPECT_EQ(tail_of(folder_ / "log", 2), "two\nthree <U+001B>[31m");
  EXPECT_EQ(tail_of(folder_ / "log", 9), "one\ntwo\nthree <U+001B>[31m");
  EXPECT_EQ(tail_of(folder_ / "missing", 2), "");
}

TEST_F(ProcessTest, ProcessStart_IsBeforeWhatTheProcessWrites) {
  write_file(folder_ / "before", "");
  const auto now = std::chrono::system_clock::now();
  EXPECT_LT(process_start(), now);
  EXPECT_GT(process_start(), now - std::chrono::hours(24));
  EXPECT_LT(process_start(), std::chrono::file_clock::to_sys(fs::last_write_time(folder_ / "before")));
}

}  // namespace
}  // namespace parity
