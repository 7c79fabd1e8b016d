// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/files/file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

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
  EXPECT_EQ(read_head(file, 2), std::string("b\0", 2));
  EXPECT_EQ(read_head(file, 9), std::string("b\0c", 3));
  EXPECT_EQ(std::distance(fs::directory_iterator(file.parent_path()), {}), 1);
}

TEST_F(FileTest, ReadErrorNamesThePathAndTheReason) {
  EXPECT_THAT([&] { read_file(folder / "absent"); },
              ThrowsMessage<UserError>(testing::AllOf(HasSubstr("absent"), HasSubstr("No such file"))));
  EXPECT_THAT([&] { read_file(folder); }, ThrowsMessage<UserError>(HasSubstr("it is a folder")));
}

TEST_F(FileTest, AReadThatFailsIsNoEndOfTheFile) {
  // A regular file whose first read gives EIO.
  EXPECT_THAT([] { read_head("/proc/self/mem", 8); },
              ThrowsMessage<UserError>(HasSubstr("cannot read /proc/self/mem")));
  EXPECT_THAT([&] { read_file("/proc/self/mem"); },
              ThrowsMessage<UserError>(HasSubstr("Input/output error")));
  EXPECT_THAT([&] { pass_on("/proc/self/mem", [](std::string_view) {}); },
              ThrowsMessage<UserError>(HasSubstr("Input/output error")));
  EXPECT_NE(read_file("/proc/self/status"), "") << "its size is 0, and that is no cut file";
}

TEST_F(FileTest, ATemporaryFollowsNoLinkThatLiesThere) {
  write_file(folder / "victim", "kept");
  std::string name;
  {
    const TemporaryFile first(folder / "a");
    name = first.path().filename().string();
  }
  // The name has this process and a count: put links where the next files would be.
  const size_t dash = name.rfind('-');
  const int number = std::stoi(name.substr(dash + 1));
  for (int next = number + 1; next < number + 10; ++next)
    fs::create_symlink(folder / "victim",
                       folder / (name.substr(0, dash + 1) + std::to_string(next) + ".tmp"));
  write_file(folder / "a", "new");
  EXPECT_EQ(read_file(folder / "a"), "new");
  EXPECT_EQ(read_file(folder / "victim"), "kept");
}

TEST_F(FileTest, WriteBelowAFileSaysThatItCannot) {
  write_file(folder / "file", "x");
  EXPECT_THAT([&] { write_file(folder / "file" / "below", "y"); },
              ThrowsMessage<UserError>(HasSubstr("cannot write")));
}

TEST_F(FileTest, NamesAsLongAsTheFolderTakesAreWritten) {
  const fs::path file = folder / std::string(255, 'n');
  write_file(file, "x");
  EXPECT_EQ(read_file(file), "x");
  EXPECT_THAT([&] { write_file(folder / std::string(256, 'n'), "x"); },
              ThrowsMessage<UserError>(HasSubstr("File name too long")));
  EXPECT_THAT([&] { read_file(folder / std::string(4000, 'n')); },
              ThrowsMessage<UserError>(HasSubstr("File name too long")));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);  // no temporary file remains
}

TEST_F(FileTest, PipesDevicesAndHugeFilesAreNotRead) {
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THAT([&] { read_file(folder / "pipe"); }, ThrowsMessage<UserError>(HasSubstr("a device or a pipe")));
  EXPECT_THAT([&] { read_file("/dev/zero"); }, ThrowsMessage<UserError>(HasSubstr("a device or a pipe")));
  write_file(folder / "long", "12345");
  EXPECT_EQ(read_file(folder / "long", 5), "12345");
  EXPECT_THAT([&] { read_file(folder / "long", 4); },
              ThrowsMessage<UserError>(HasSubstr("larger than 4 bytes")));
}

TEST_F(FileTest, ControlCharactersOfAPathDoNotReachAMessage) {
  EXPECT_THAT([&] { read_file(folder / "a\x1b[31m\xff"); },
              ThrowsMessage<UserError>(
                  testing::AllOf(HasSubstr("a<U+001B>[31m<0xFF>"), testing::Not(HasSubstr("\x1b")))));
}

}  // namespace
}  // namespace parity
