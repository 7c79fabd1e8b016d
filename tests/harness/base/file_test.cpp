// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace parity {
namespace {
namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

class FileTest : public testing::Test {
 protected:
  const fs::path folder =
      fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
  void SetUp() override {
    fs::remove_all(folder);
    fs::create_directories(folder);
  }
  void TearDown() override { fs::remove_all(folder); }
};

TEST_F(FileTest, WriteReplacesTheWholeFileAndLeavesNoTemporary) {
  const fs::path file = folder / "deep" / "a.txt";
  write_file(file, "a longer first text");
  write_file(file, std::string_view("b\0c", 3));
  EXPECT_EQ(read_file(file), std::string("b\0c", 3));
  EXPECT_EQ(std::distance(fs::directory_iterator(file.parent_path()), {}), 1);
}

TEST_F(FileTest, ReadErrorNamesThePathAndTheReason) {
  EXPECT_THAT([&] { read_file(folder / "absent"); },
              ThrowsMessage<UserError>(testing::AllOf(HasSubstr("absent"), HasSubstr("No such file"))));
  EXPECT_THAT([&] { read_file(folder); }, ThrowsMessage<UserError>(HasSubstr("it is a folder")));
}

TEST_F(FileTest, WriteBelowAFileSaysThatItCannot) {
  write_file(folder / "file", "x");
  EXPECT_THAT([&] { write_file(folder / "file" / "below", "y"); },
              ThrowsMessage<UserError>(HasSubstr("cannot write")));
}

TEST_F(FileTest, SecondLockOnAFolderNamesTheOwner) {
  const FolderLock first(folder);
  EXPECT_THAT([&] { FolderLock second(folder); },
              ThrowsMessage<UserError>(HasSubstr("in use by process " + std::to_string(getpid()))));
}

TEST_F(FileTest, LockEndsWithItsObject) {
  {
    const FolderLock first(folder);
  }
  EXPECT_NO_THROW(FolderLock second(folder));
}

}  // namespace
}  // namespace parity
