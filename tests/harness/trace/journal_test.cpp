// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/journal.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "tests/support/scratch.hpp"

namespace parity {
namespace {
namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

class JournalTest : public FolderTest {
 protected:
  const std::string before_ = std::string(100, '.');
  fs::path file() const { return folder / "file"; }

  static std::vector<JournalWrite> writes() {
    const auto bytes = [](const std::string& text) {
      const auto* first = reinterpret_cast<const std::byte*>(text.data());
      return std::vector<std::byte>(first, first + text.size());
    };
    return {{10, bytes("one")}, {98, bytes("two, longer")}, {11, bytes("N")}};
  }
  std::string after() const {
    std::string text = before_.substr(0, 98) + "two, longer";
    return text.replace(10, 3, "oNe");
  }

  /// What lies in the folder when a process was killed after its journal was whole.
  std::string leave_journal() const {
    write_file(file(), before_);
    const pid_t child = ::fork();
    if (child == 0) {
      Journal journal(file());
      // Read-only: the journal gets whole, the file cannot be touched.
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

TEST_F(JournalTest, AWholeJournalIsFinishedWhereverItsCommitStopped) {
  const std::string journal = leave_journal();
  for (const std::string& state : {before_, after(), before_.substr(0, 98) + "two"}) {
    write_file(file(), state);
    write_file(journal_path(file()), journal);
    recover(file());
    EXPECT_EQ(read_file(file()), after());
    EXPECT_FALSE(fs::exists(journal_path(file())));
  }
}

TEST_F(JournalTest, ATornJournalLeavesTheFileAsItWas) {
  const std::string journal = leave_journal();
  for (size_t size = 0; size < journal.size(); ++size) {
    write_file(file(), before_);
    write_file(journal_path(file()), std::string_view(journal).substr(0, size));
    recover(file());
    ASSERT_EQ(read_file(file()), before_) << size;
  }
}

TEST_F(JournalTest, AFileThatIsBeingWrittenIsLeftAlone) {
  leave_journal();
  const int descriptor = ::open(file().c_str(), O_RDWR);
  ASSERT_EQ(::flock(descriptor, LOCK_EX), 0);
  EXPECT_THAT([&] { recover(file()); },
              ThrowsMessage<UserError>(HasSubstr("a running process is writing it")));
  ::close(descriptor);
  EXPECT_EQ(read_file(file()), before_);
  recover(file());
  EXPECT_EQ(read_file(file()), after());
}

TEST_F(JournalTest, WithoutAJournalThereIsNothingToDo) {
  EXPECT_NO_THROW(recover(folder / "absent"));
}

}  // namespace
}  // namespace parity
