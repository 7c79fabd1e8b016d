// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/hdf5/probe.hpp"

#include <csignal>
#include <stdexcept>

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

}  // namespace
}  // namespace parity::trace
