// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/hdf5/journal.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/trace/hdf5/source_file.hpp"
#include "tests/support/scratch.hpp"

namespace parity::trace {
namespace {
namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

class JournalTest : public FolderTest {
 protected:
  const std::string before_ = std::string(109, '.');
  fs::path file() const { return folder / "file.partial"; }

  static std::vector<JournalWrite> writes() {
    const auto bytes = [](const std::string& text) {
      const auto* first = reinterpret_cast<const std::byte*>(text.data());
      return std::vector<std::byte>(first, first + text.size());
    };
    return {{10, bytes("one")}, {98, bytes("two, longer")}, {11, bytes("N")}};
  }
  std::string after() const {
    std::string text = before_.substr(0, 98) + "two, longer";  // as long as before
    return text.replace(10, 3, "oNe");
  }

  /// Returns what a reader sees.
  std::string seen(const fs::path& path) const {
    const SourceFile source(path);
    std::string bytes(source.size(), 0);
    EXPECT_EQ(source.read(0, bytes.size(), bytes.data()), 0);
    return bytes;
  }
  std::string seen() const { return seen(file()); }

  /// The content of the folder when a process was killed after it had completed its journal. Before that, it
  /// had extended the file to its final length.
  std::string leave_journal() const {
    write_file(file(), before_);
    const pid_t child = ::fork();
    if (child == 0) {
      Journal journal(file());
      // Read-only: the journal becomes complete, the file cannot be changed.
      const int descriptor = ::open(file().c_str(), O_RDONLY);
      ::_exit(journal.commit(descriptor, writes()) == 0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(read_file(file()), before_);
    return read_file(journal_path(file()));
  }
};

TEST_F(JournalTest, CommitMakesAllWritesInOrderAndLeavesNothing) {
  write_file(file(), before_);
  {
    Journal journal(file());
    const int descriptor = ::open(file().c_str(), O_RDWR);
    EXPECT_EQ(journal.commit(descriptor, writes()), 0);
    EXPECT_EQ(fs::file_size(journal_path(file())), 0);
    ::close(descriptor);
  }
  EXPECT_EQ(read_file(file()), after());
  EXPECT_FALSE(fs::exists(journal_path(file())));
}

TEST_F(JournalTest, AWholeJournalIsSeenAndNothingWritten) {
  const std::string journal = leave_journal();
  for (const std::string& state : {before_, after(), before_.substr(0, 98) + "two" + std::string(8, '.')}) {
    write_file(file(), state);
    EXPECT_EQ(seen(), after());
    EXPECT_EQ(read_file(file()), state);
    EXPECT_EQ(read_file(journal_path(file())), journal);
  }
}

TEST_F(JournalTest, Recover_PerformsTheWritesOnDisk) {
  leave_journal();
  for (int time = 0; time < 2; ++time) {
    recover(file());
    EXPECT_EQ(read_file(file()), after());
  }
  fs::remove(journal_path(file()));
  recover(file());
  EXPECT_EQ(read_file(file()), after());
  EXPECT_THROW(recover(folder / "absent"), UserError);
}

TEST_F(JournalTest, ATornJournalLeavesTheFileAsItIs) {
  const std::string journal = leave_journal();
  for (size_t size = 0; size < journal.size(); ++size) {
    write_file(journal_path(file()), std::string_view(journal).substr(0, size));
    ASSERT_EQ(seen(), before_) << size;
  }
}

TEST_F(JournalTest, AFileThatIsBeingWrittenIsLeftAlone) {
  leave_journal();
  const int descriptor = ::open(file().c_str(), O_RDWR);
  ASSERT_EQ(::flock(descriptor, LOCK_EX), 0);
  EXPECT_THAT([&] { seen(); }, ThrowsMessage<UserError>(HasSubstr("a running process is writing it")));
  ::close(descriptor);
  EXPECT_EQ(seen(), after());
}

TEST_F(JournalTest, WithoutAJournalThereIsNothingToAdd) {
  EXPECT_TRUE(committed_writes(folder / "absent", 0, 0).empty());
}

TEST_F(JournalTest, JournalOfForeignName_IsIgnored) {
  leave_journal();
  fs::rename(file(), folder / "file");
  fs::rename(journal_path(file()), folder / "file.journal");
  EXPECT_EQ(seen(folder / "file"), before_);
}

TEST_F(JournalTest, AJournalThatWritesBeyondItsFileIsRefused) {
  leave_journal();
  write_file(file(), before_.substr(0, 99));
  EXPECT_THAT([&] { seen(); }, ThrowsMessage<UserError>(HasSubstr("it writes beyond the end of its file")));
}

TEST_F(JournalTest, AJournalThatIsALinkIsRefused) {
  leave_journal();
  fs::rename(journal_path(file()), folder / "elsewhere");
  fs::create_symlink(folder / "elsewhere", journal_path(file()));
  EXPECT_THAT([&] { seen(); }, ThrowsMessage<UserError>(HasSubstr("it is not a regular file")));
}

TEST_F(JournalTest, AJournalOfHolesIsRefusedUnread) {
  write_file(file(), before_);
  write_file(journal_path(file()), "parity.journal/1");
  fs::resize_file(journal_path(file()), uint64_t{6} << 30);
  EXPECT_THAT([&] { seen(); }, ThrowsMessage<UserError>(HasSubstr("it is larger than")));
}

TEST_F(JournalTest, AWriterFollowsNoLinkToItsJournal) {
  write_file(folder / "victim", "kept");
  fs::create_symlink(folder / "victim", journal_path(file()));
  EXPECT_THROW(Journal{file()}, UserError);
  EXPECT_EQ(read_file(folder / "victim"), "kept");
}

}  // namespace
}  // namespace parity::trace
