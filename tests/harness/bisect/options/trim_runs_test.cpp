// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/options/trim_runs.hpp"

#include "tests/harness/suite/suite_fixture.hpp"

namespace parity::bisect {
namespace {

using TrimRunsTest = suite::SuiteTest;

TEST_F(TrimRunsTest, RepeatsTakeWhatTheRunsLeaveOfTheCache) {
  suite::SuiteOptions options;
  options.out = folder_ / "out";
  const auto write = [](const std::filesystem::path& out, char digit, size_t bytes) {
    const std::filesystem::path folder = out / "runs" / std::string(16, digit);
    std::filesystem::create_directories(folder);
    write_file(folder / "run.json", std::string(bytes, ' '));
    return folder;
  };
  const auto run = write(options.out, 'a', 600);
  const auto first = write(repeats_folder(options.out) / "1", 'a', 300);
  const auto second = write(repeats_folder(options.out) / "2", 'a', 300);
  options.cache_bytes = 1000;
  trim_search_runs(options);
  EXPECT_TRUE(std::filesystem::exists(run));
  EXPECT_TRUE(std::filesystem::exists(first));
  EXPECT_FALSE(std::filesystem::exists(second)) << "1200 of 1000 bytes";
}

}  // namespace
}  // namespace parity::bisect
