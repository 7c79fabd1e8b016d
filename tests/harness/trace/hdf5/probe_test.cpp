// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/hdf5/probe.hpp"

#include <csignal>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "tests/support/scratch.hpp"

namespace parity::trace {
namespace {
namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

class ProbeTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    write_file(file, "x");
  }
  /// Returns how often a reader that leaves a mark ran.
  size_t marks() const { return fs::exists(folder / "marks") ? fs::file_size(folder / "marks") : 0; }
  void mark() const {
    const std::string before = marks() ? read_file(folder / "marks") : "";
    write_file(folder / "marks", before + "m");
  }

  const fs::path file = folder / "file.h5";
};

TEST_F(ProbeTest, ReaderCrash_BecomesAnErrorEndingOnlyTheChild) {
  EXPECT_THAT([&] { probe(file, [] { ::raise(SIGSEGV); }); },
              ThrowsMessage<UserError>(AllOf(HasSubstr(file.string()), HasSubstr("crashes"))));
  EXPECT_THAT([&] { probe(file, [] { ::raise(SIGXCPU); }); },
              ThrowsMessage<UserError>(HasSubstr("does not finish")));
}

TEST_F(ProbeTest, ErrorsAreLeftToTheCaller) {
  EXPECT_NO_THROW(probe(file, [] { throw UserError("bad"); }));
  EXPECT_NO_THROW(probe(file, [] { throw std::runtime_error("worse"); }));
}

TEST_F(ProbeTest, EachStateOfAFileIsTriedOnce) {
  for (int i = 0; i < 3; ++i)
    probe(file, [&] { mark(); });
  EXPECT_EQ(marks(), 1U);
  write_file(file, "changed");
  probe(file, [&] { mark(); });
  EXPECT_EQ(marks(), 2U);
  probe(folder / "absent", [&] { mark(); });
  EXPECT_EQ(marks(), 2U);
}

TEST_F(ProbeTest, ManyFilesAreReadAheadUpToTheFirstCrash) {
  std::vector<fs::path> files;
  for (const char* name : {"a", "b", "c", "d"}) {
    files.push_back(folder / name);
    write_file(files.back(), name);
  }
  probe_ahead(files, [&](const fs::path& path) {
    if (path == files[1])
      throw UserError("bad");  // left to the caller
    if (path == files[2])
      ::raise(SIGSEGV);
  });
  for (const fs::path& path : {files[0], files[1]})
    probe(path, [&] { mark(); });
  EXPECT_EQ(marks(), 0U);  // both count as read
  EXPECT_THAT([&] { probe(files[2], [] { ::raise(SIGSEGV); }); },
              ThrowsMessage<UserError>(HasSubstr("crashes")));
  probe(files[3], [&] { mark(); });
  EXPECT_EQ(marks(), 1U);
}

TEST_F(ProbeTest, AFileThatChangesAfterItWasReadAheadIsReadAgain) {
  const std::vector<fs::path> files = {file, folder / "other.h5", folder / "absent"};
  write_file(files[1], "y");
  probe_ahead(files, [](const fs::path&) {});
  write_file(file, "changed");
  probe(file, [&] { mark(); });
  EXPECT_EQ(marks(), 1U);
}

}  // namespace
}  // namespace parity::trace
