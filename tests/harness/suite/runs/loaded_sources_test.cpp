// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/runs/loaded_sources.hpp"

#include <gtest/gtest.h>

#include "harness/base/files/file.hpp"
#include "harness/suite/plan/rank_environment.hpp"
#include "tests/support/scratch.hpp"

namespace parity::suite {
namespace {

class LoadedSourcesTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    write_file(folder / "helper.py", "rate = 1\n");
    write_file(folder / sources_name, Json::array({(folder / "helper.py").string()}).dump());
  }
};

TEST_F(LoadedSourcesTest, UnchangedFiles_Count) {
  const Json hashes = hash_sources(folder);
  EXPECT_EQ(hashes.size(), 1U);
  EXPECT_TRUE(has_sources(hashes));
}

TEST_F(LoadedSourcesTest, AChangedOrMissingFile_DoesNot) {
  const Json hashes = hash_sources(folder);
  write_file(folder / "helper.py", "rate = 2\n");
  EXPECT_FALSE(has_sources(hashes));
  std::filesystem::remove(folder / "helper.py");
  EXPECT_FALSE(has_sources(hashes));
  EXPECT_FALSE(has_sources(hash_sources(folder))) << "it was gone when the run ended";
}

TEST_F(LoadedSourcesTest, AProgramThatListsNone_HasNone) {
  std::filesystem::remove(folder / sources_name);
  EXPECT_TRUE(has_sources(hash_sources(folder)));
}

}  // namespace
}  // namespace parity::suite
