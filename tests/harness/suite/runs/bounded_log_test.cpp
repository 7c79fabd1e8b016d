// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/runs/bounded_log.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "tests/support/scratch.hpp"

namespace parity::suite {
namespace {
namespace fs = std::filesystem;

class BoundedLogTest : public FolderTest {
 protected:
  const fs::path file = folder / "stderr";
  static constexpr LogBounds small{.most = 40, .head = 10, .tail = 5};

  void append(const std::string& text) const {
    const int log = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    ASSERT_EQ(::write(log, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ::close(log);
  }
};

TEST_F(BoundedLogTest, AShortLogStaysAsItIs) {
  append(std::string(40, 'x'));
  BoundedLog(file, small).trim();
  EXPECT_EQ(read_file(file), std::string(40, 'x'));
}

TEST_F(BoundedLogTest, ALongOneKeepsHeadAndTailAndSaysHowMuchIsGone) {
  append("0123456789" + std::string(30, 'x') + "final");
  BoundedLog(file, small).trim();
  EXPECT_EQ(read_file(file), "0123456789\n[... 30 bytes left out here ...]\nfinal");
}

TEST_F(BoundedLogTest, FurtherCutsAddUpAndTheWriterGoesOnAppending) {
  const int writer = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  BoundedLog log(file, small);
  for (int i = 0; i < 10; ++i) {
    const std::string line(100, static_cast<char>('a' + i));
    ASSERT_EQ(::write(writer, line.data(), line.size()), 100);
    log.trim();
    EXPECT_LT(fs::file_size(file), 80U);
  }
  ::close(writer);
  // 1000 written, 10 + 5 kept.
  EXPECT_EQ(read_file(file), "aaaaaaaaaa\n[... 985 bytes left out here ...]\njjjjj");
}

TEST_F(BoundedLogTest, LinksPipesAndNothingAreLeftAlone) {
  BoundedLog(file, small).trim();
  EXPECT_FALSE(fs::exists(file));
  write_file(folder / "victim", std::string(1000, 'v'));
  fs::create_symlink(folder / "victim", file);
  BoundedLog(file, small).trim();
  EXPECT_EQ(fs::file_size(folder / "victim"), 1000U);
}

}  // namespace
}  // namespace parity::suite
