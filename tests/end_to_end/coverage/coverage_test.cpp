// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// `parity coverage` with the trainer and the cases of this repository.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/json/json.hpp"
#include "tests/support/scratch.hpp"

namespace parity {
namespace {

class CoverageEndToEndTest : public FolderTest {
 protected:
  CommandResult parity(const std::string& words) const {
    return run_shell("cd '" + places::source + "' && '" + places::build + "/bin/parity' " + words +
                     " --out '" + (folder / "out").string() + "'");
  }
};

TEST_F(CoverageEndToEndTest, PairThatTheTrainerAccepts_IsInAnArm) {
  const CommandResult found = parity("coverage --json");
  ASSERT_EQ(found.status, 0) << found.output;
  const Json json = read_json(found.output);
  for (const Json& pair : json.at("pairs"))
    EXPECT_NE(pair.at("state"), "missing") << pair.dump() << "\nparity coverage --write N proposes cases";
  EXPECT_EQ(json.at("arms_run"), 0);
}

TEST_F(CoverageEndToEndTest, ArmsWithALauncher_AreShownByIt) {
  const CommandResult found = parity("coverage --json");
  ASSERT_EQ(found.status, 0) << found.output;
  const Json json = read_json(found.output);
  for (const Json& way : json.at("starts"))
    if (way.at("name") == "torchrun") {
      EXPECT_THAT(way.at("arms").get<std::vector<std::string>>(),
                  testing::Contains("parallel/launchers:torchrun"));
      EXPECT_THAT(way.at("features").get<std::vector<std::string>>(), testing::Contains("fsdp"));
      return;
    }
  ADD_FAILURE() << json.at("starts").dump();
}

TEST_F(CoverageEndToEndTest, TopicWithoutThePairs_MissesAndProposesThem) {
  const std::string cases = (folder / "cases").string();
  ASSERT_EQ(run_shell("mkdir -p '" + cases + "/lr' && cp '" + places::source +
                      "/cases/lr/warmup_index.toml' '" + cases + "/lr'")
                .status,
            0);
  const CommandResult found = parity("coverage --cases '" + cases + "' --missing");
  ASSERT_EQ(found.status, 0) << found.output;
  EXPECT_THAT(found.output, testing::HasSubstr("parallel.tp=2"));
  EXPECT_THAT(found.output, testing::Not(testing::HasSubstr("chunked_loss  autocast")));  // refused
}

}  // namespace
}  // namespace parity
