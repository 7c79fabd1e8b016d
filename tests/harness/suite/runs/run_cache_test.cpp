// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/suite/runs/cache.hpp"
#include "tests/support/scratch.hpp"

namespace parity::suite {
namespace {
namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class RunCacheTest : public FolderTest {
 protected:
  /// A run of 1,000 bytes (run.json and a trace), used `age` minutes ago. Its id is the digit 16 times.
  std::string add(char digit, int age, size_t bytes = 1000) const {
    const std::string id(16, digit);
    write_file(folder / id / "run.json", std::string(10, '{'));
    write_file(folder / id / "deep/trace.h5", std::string(bytes - 10, 't'));
    fs::last_write_time(folder / id / "run.json",
                        fs::file_time_type::clock::now() - std::chrono::minutes(age));
    return id;
  }
  std::vector<std::string> left() const {
    std::vector<std::string> digits;
    for (const auto& entry : fs::directory_iterator(folder))
      digits.push_back(entry.path().filename().string().substr(0, 1));
    std::sort(digits.begin(), digits.end());
    return digits;
  }
};

TEST_F(RunCacheTest, NothingGoesWhileThereIsRoom) {
  add('a', 9);
  add('b', 1);
  const CacheTrim trim = trim_cache(folder, {.most_bytes = 2000, .kept = {}, .kept_long = {}});
  EXPECT_EQ(trim.dropped, 0U);
  EXPECT_EQ(trim.left_bytes, 2000U);
}

TEST_F(RunCacheTest, LeastRecentlyUsed_GoFirstAndNoMoreThanNeeded) {
  add('a', 3);
  add('b', 9);
  add('c', 6);
  const CacheTrim trim = trim_cache(folder, {.most_bytes = 1999, .kept = {}, .kept_long = {}});
  EXPECT_EQ(trim.dropped, 2U);
  EXPECT_EQ(trim.freed_bytes, 2000U);
  EXPECT_THAT(left(), ElementsAre("a"));
}

TEST_F(RunCacheTest, WhatFailedStaysWhateverItTakes) {
  const std::string old = add('a', 99);
  add('b', 1);
  trim_cache(folder, {.most_bytes = 0, .kept = {old}, .kept_long = {}});
  EXPECT_THAT(left(), ElementsAre("a"));
}

TEST_F(RunCacheTest, RunsJustPassed_GoLastLargestFirst) {
  const std::string small = add('a', 99, 500);
  const std::string large = add('b', 99, 5000);
  add('c', 1);
  trim_cache(folder, {.most_bytes = 5500, .kept = {}, .kept_long = {small, large}});
  EXPECT_THAT(left(), ElementsAre("a", "b"));
  trim_cache(folder, {.most_bytes = 5499, .kept = {}, .kept_long = {small, large}});
  EXPECT_THAT(left(), ElementsAre("a"));
}

TEST_F(RunCacheTest, FoldersOfOthersAndLinksAreNotTouched) {
  write_file(folder / "my_experiment/weights", std::string(5000, 'w'));
  write_file(folder / "notes.txt", "n");
  fs::create_directories(folder / "elsewhere_target");
  fs::create_symlink(folder / "elsewhere_target", folder / std::string(16, 'd'));
  EXPECT_EQ(trim_cache(folder, {.most_bytes = 0, .kept = {}, .kept_long = {}}).dropped, 0U);
  EXPECT_EQ(left().size(), 4U);
  EXPECT_EQ(trim_cache(folder / "absent", {.most_bytes = 0, .kept = {}, .kept_long = {}}).dropped, 0U);
}

TEST_F(RunCacheTest, SizesAreReadAndShownInTheSameUnits) {
  EXPECT_EQ(parse_bytes("0"), 0U);
  EXPECT_EQ(parse_bytes("123"), 123U);
  EXPECT_EQ(parse_bytes("20G"), uint64_t{20} << 30);
  EXPECT_EQ(parse_bytes("1T"), uint64_t{1} << 40);
  EXPECT_EQ(format_bytes(512), "512 bytes");
  EXPECT_EQ(format_bytes(uint64_t{3} << 19), "1.5 MiB");
  EXPECT_EQ(format_bytes(uint64_t{20} << 30), "20 GiB");
  for (const char* bad : {"", "G", "-1", "1.5G", "1GB", "20 G", "99999999999999999999", "99999999T", "0x10"})
    EXPECT_THAT([&] { parse_bytes(bad); }, ThrowsMessage<UserError>(HasSubstr("invalid size"))) << bad;
}

}  // namespace
}  // namespace parity::suite
