// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/files/folder_lock.hpp"

#include <csignal>

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "tests/support/scratch.hpp"

namespace parity {
namespace {
namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

class FolderLockTest : public FolderTest {};

TEST_F(FolderLockTest, SecondProcess_LearnsHolderSinceWhenAndTask) {
  const FolderLock first(folder, "parity run lr/\x1b[31m*");
  EXPECT_THAT([&] { FolderLock(folder, "another"); },
              ThrowsMessage<UserError>(
                  AllOf(HasSubstr("in use by process " + std::to_string(::getpid())), HasSubstr("since 20"),
                        HasSubstr("running: parity run lr/<U+001B>"), HasSubstr("--out"))));
}

TEST_F(FolderLockTest, EndsWithItsObject) {
  {
    const FolderLock first(folder, "x");
  }
  EXPECT_NO_THROW(FolderLock(folder, "y"));
}

TEST_F(FolderLockTest, EndsWithItsProcessHoweverThatDies) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const FolderLock held(folder, "child");
    [[maybe_unused]] const ssize_t written = ::write(ready[1], "x", 1);
    ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_THROW(FolderLock(folder, "second"), UserError);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_NO_THROW(FolderLock(folder, "third"));
}

TEST_F(FolderLockTest, ADamagedOwnerFileStillLocks) {
  write_file(folder / ".lock", "[[[\x1b");
  const FolderLock first(folder, "x");
  write_file(folder / "copy", "");
  ASSERT_EQ(::truncate((folder / ".lock").c_str(), 3), 0);
  EXPECT_THAT([&] { FolderLock(folder, "y"); },
              ThrowsMessage<UserError>(HasSubstr("in use by another process")));
}

TEST_F(FolderLockTest, UnwritableFolder_IsReportedWithReason) {
  write_file(folder / "file", "");
  EXPECT_THAT([&] { FolderLock(folder / "file/below", "x"); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("Not a directory"), HasSubstr("--out"))));
  EXPECT_THAT([&] { FolderLock("/proc/self", "x"); }, ThrowsMessage<UserError>(HasSubstr("cannot write to")));
}

TEST_F(FolderLockTest, ALinkPlantedAsLockIsNotFollowed) {
  write_file(folder / "victim", "precious");
  fs::create_symlink(folder / "victim", folder / ".lock");
  EXPECT_THROW(FolderLock(folder, "x"), UserError);
  EXPECT_EQ(read_file(folder / "victim"), "precious");
}

}  // namespace
}  // namespace parity
