// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/processes/offspring.hpp"

#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/files/leftovers.hpp"
#include "harness/base/processes/process.hpp"
#include "tests/support/scratch.hpp"

namespace parity {
namespace {
namespace fs = std::filesystem;
using std::chrono::milliseconds;

/// Processes that a launcher's children started, when the launcher dies.
class OffspringTest : public FolderTest {
 protected:
  ProcessSpec shell(const std::string& script) const {
    ProcessSpec spec;
    spec.argv = {"/bin/sh", "-c", script};
    spec.environment = {{"FILE", (folder / "pid").string()}};
    return spec;
  }
  /// Waits until the grandchild has written its process id.
  pid_t grandchild() const {
    for (int i = 0; i < 1000; ++i) {
      if (std::ifstream in(folder / "pid"); in) {
        pid_t pid = 0;
        if (in >> pid)
          return pid;
      }
      std::this_thread::sleep_for(milliseconds(10));
    }
    return 0;
  }
  /// A zombie that no process reaps counts as dead.
  static bool alive(pid_t process) {
    std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
    std::string pid, name, state;
    return static_cast<bool>(stat >> pid >> name >> state) && state != "Z" && state != "X";
  }
  static bool dies(pid_t process) {
    for (int i = 0; i < 1000 && alive(process); ++i)
      std::this_thread::sleep_for(milliseconds(10));
    return !alive(process);
  }
  /// Starts `script` from a launcher that a signal ends. \return whether what the script started dies with it
  bool dies_with_launcher(const std::string& script, int signal) const {
    const pid_t launcher = ::fork();
    if (launcher == 0) {
      ::signal(signal, SIG_DFL);  // nohup ignores it, and so do its children
      const Process child = Process::spawn(shell(script));
      ::pause();
      ::_exit(0);
    }
    const pid_t process = grandchild();
    EXPECT_GT(process, 0);
    EXPECT_TRUE(alive(process));
    ::kill(launcher, signal);
    ::waitpid(launcher, nullptr, 0);
    const bool dead = dies(process);
    if (!dead)
      ::kill(process, SIGKILL);
    return dead;
  }
};

TEST_F(OffspringTest, Grandchild_LauncherKilled_Dies) {
  EXPECT_TRUE(dies_with_launcher("sleep 600 & echo $! > $FILE; wait", SIGKILL));
}

TEST_F(OffspringTest, Grandchild_LauncherHangsUp_Dies) {
  EXPECT_TRUE(dies_with_launcher("sleep 600 & echo $! > $FILE; wait", SIGHUP));
}

TEST_F(OffspringTest, Daemon_LauncherKilled_Dies) {
  EXPECT_TRUE(dies_with_launcher("setsid sh -c 'echo $$ > $FILE; exec sleep 600' & wait", SIGKILL));
}

TEST_F(OffspringTest, Grandchild_WithoutEnvironment_Dies) {
  EXPECT_TRUE(dies_with_launcher("env -i sleep 600 & echo $! > $FILE; wait", SIGKILL));
}

TEST_F(OffspringTest, Daemon_LauncherExits_Stays) {
  const pid_t launcher = ::fork();
  if (launcher == 0) {
    {
      Process child = Process::spawn(shell("setsid sh -c 'echo $$ > $FILE; exec sleep 600' & sleep 0.2"));
      child.wait_for(std::chrono::seconds(20));
    }
    std::exit(0);
  }
  ::waitpid(launcher, nullptr, 0);
  const pid_t daemon = grandchild();
  std::this_thread::sleep_for(milliseconds(200));
  EXPECT_TRUE(alive(daemon)) << "a build's server is not ours to end";
  ::kill(daemon, SIGKILL);
}

TEST_F(OffspringTest, Mark_OfOneRun_EndsThatRunOnly) {
  const std::string mark = new_offspring_mark();
  ProcessSpec marked = shell("setsid sh -c 'echo $$ > $FILE; exec sleep 600' & wait");
  marked.mark = mark;
  Process one = Process::spawn(marked);
  Process other = Process::spawn(shell("sleep 600"));
  const pid_t daemon = grandchild();
  end_offspring(mark);
  EXPECT_TRUE(dies(daemon));
  EXPECT_FALSE(other.poll().has_value());
}

TEST_F(OffspringTest, Marks_OfNestedLaunchers_AddUp) {
  ASSERT_EQ(::setenv(offspring_variable, "outer.1", 1), 0);
  EXPECT_THAT(offspring_marks("run"), testing::StartsWith("outer.1:" + own_offspring_mark() + ":run"));
  ::unsetenv(offspring_variable);
}

/// A temporary file of a process, last written some minutes ago.
fs::path temporary(const fs::path& folder, pid_t process, const std::string& end, int minutes) {
  const fs::path file = folder / (".parity-" + std::to_string(process) + "-0" + end);
  write_file(file, "half a golden");
  fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::minutes(minutes));
  return file;
}

/// Returns the id of a process that no longer exists.
pid_t ended_process() {
  const pid_t child = ::fork();
  if (child == 0)
    ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

using LeftoversTest = FolderTest;

TEST_F(LeftoversTest, FilesOfKilledProcesses_AreRemoved) {
  const pid_t dead = ended_process();
  const fs::path file = temporary(folder, dead, ".tmp", 5);
  const fs::path journal = temporary(folder, dead, ".tmp.journal", 5);
  remove_leftovers(folder);
  EXPECT_FALSE(fs::exists(file));
  EXPECT_FALSE(fs::exists(journal));
}

TEST_F(LeftoversTest, FilesOfOthers_Stay) {
  const fs::path mine = temporary(folder, ::getpid(), ".tmp", 5);
  const fs::path fresh = temporary(folder, ended_process(), ".tmp", 0);
  const fs::path golden = folder / "case.h5";
  write_file(golden, "golden");
  fs::create_symlink(golden, folder / ".parity-999999999-0.tmp");
  remove_leftovers(folder);
  for (const fs::path& file : {mine, fresh, golden, folder / ".parity-999999999-0.tmp"})
    EXPECT_TRUE(fs::exists(file)) << file;
}

}  // namespace
}  // namespace parity
