// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "harness/base/files/file.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/support/places.hpp"

namespace parity::fuzz {
namespace {
namespace fs = std::filesystem;

/// Inputs that fuzzing once found, and its seeds, in every ordinary test run.
class ReplayTest : public testing::TestWithParam<Target> {};

TEST_P(ReplayTest, EverySeedIsReadOrRefused) {
  const fs::path folder = fs::path(places::source) / "tests/fuzz/seeds" / GetParam().name;
  size_t count = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path());
    const std::string bytes = read_file(entry.path());
    EXPECT_NO_THROW(GetParam().run(bytes));
    for (size_t cut = bytes.size() / 2; cut > 0; cut /= 2)
      EXPECT_NO_THROW(GetParam().run(std::string_view(bytes).substr(0, bytes.size() - cut)));
    ++count;
  }
  EXPECT_GE(count, 4U) << folder;
}

INSTANTIATE_TEST_SUITE_P(Targets, ReplayTest, testing::ValuesIn(targets),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(SeedsTest, EveryFolderOfSeedsBelongsToATarget) {
  for (const auto& entry : fs::directory_iterator(fs::path(places::source) / "tests/fuzz/seeds")) {
    const std::string name = entry.path().filename().string();
    EXPECT_NE(std::find_if(targets.begin(), targets.end(), [&](const Target& t) { return t.name == name; }),
              targets.end())
        << name;
  }
}

}  // namespace
}  // namespace parity::fuzz
