// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/processes/fork_server.hpp"

#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "tests/support/scratch.hpp"

namespace parity {
namespace {
using std::chrono::seconds;

class ForkServerTest : public FolderTest {
 protected:
  ProcessSpec spec(std::vector<std::string> words) const {
    ProcessSpec spec;
    spec.argv = {"program"};
    spec.argv.insert(spec.argv.end(), words.begin(), words.end());
    spec.stdout_file = folder / "out";
    spec.stderr_file = folder / "err";
    return spec;
  }
  /// Returns the parent of a process, as the kernel has it.
  static pid_t parent_of(pid_t pid) {
    std::ifstream file(fmt::format("/proc/{}/stat", pid));
    std::string text;
    std::getline(file, text);
    std::istringstream fields(text.substr(text.rfind(") ") + 2));
    std::string state;
    pid_t parent = 0;
    fields >> state >> parent;
    return parent;
  }
};

TEST_F(ForkServerTest, EachProcessHasItsArgumentsEnvironmentAndStatus) {
  ForkServer server({PARITY_FORKED_PROGRAM}, {{"COMMON", "c"}});
  ProcessSpec first = spec({"a b", "3"}), second = spec({"x", "0"});
  first.environment = {{"OF_RANK", "0"}};
  EXPECT_EQ(server.spawn(first).wait_for(seconds(20))->exit_status(), 3);
  EXPECT_TRUE(server.spawn(second).wait_for(seconds(20))->succeeded());
  EXPECT_EQ(read_file(folder / "out"), "program|a b|3|c|0|forked\nprogram|x|0|c|none|forked\n");
}

TEST_F(ForkServerTest, AProcessIsAChildInItsGroup_AndCanBeKilled) {
  ForkServer server({PARITY_FORKED_PROGRAM}, {});
  Process leader = server.spawn(spec({"wait", "0"}));
  ProcessSpec member_spec = spec({"wait", "0"});
  member_spec.group = leader.pid();
  Process member = server.spawn(member_spec);
  EXPECT_EQ(parent_of(leader.pid()), ::getpid());
  EXPECT_EQ(::getpgid(leader.pid()), leader.pid());
  EXPECT_EQ(::getpgid(member.pid()), leader.pid());
  EXPECT_FALSE(leader.poll());
  signal_group(leader.pid(), SIGKILL);
  EXPECT_THAT(leader.wait_for(seconds(20))->text(), testing::HasSubstr("KILL"));
  EXPECT_THAT(member.wait_for(seconds(20))->text(), testing::HasSubstr("KILL"));
}

TEST_F(ForkServerTest, AnOutputThatCannotBeOpened_IsSaid) {
  ForkServer server({PARITY_FORKED_PROGRAM}, {});
  ProcessSpec lost = spec({"x", "0"});
  lost.stdout_file = folder / "absent/out";
  try {
    server.spawn(lost);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("cannot start 'program' (No such file or directory)"));
    EXPECT_EQ(error.code(), ExitCode::missing);
  }
}

TEST_F(ForkServerTest, AProgramThatDoesNotServe_IsAnError) {
  ForkServer server({"/bin/false"}, {});
  EXPECT_THROW(server.spawn(spec({"x"})), UserError);
}

}  // namespace
}  // namespace parity
