// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/goldens/check.hpp"

#include <gtest/gtest.h>

#include "harness/suite/plan/traces_read.hpp"

namespace parity::suite {
namespace {

Case case_with_golden_of_second() {
  Case item;
  for (const char* name : {"first", "second"})
    item.arms.emplace_back().name = name;
  item.reference = "first";
  item.golden.arms = {"second"};
  return item;
}

TEST(OnlyGoldensTest, ArmOutsideTheGolden_DoesNotRun) {
  const std::vector<Case> cases = only_goldens({case_with_golden_of_second()});
  ASSERT_EQ(cases.at(0).arms.size(), 1U);
  EXPECT_EQ(cases[0].arms[0].name, "second");
}

TEST(OnlyGoldensTest, ReplayingArm_KeepsTheArmThatItReplays) {
  Case item = case_with_golden_of_second();
  item.arms[1].config[std::string(replay_key)].value = "{trace:first}";
  EXPECT_EQ(only_goldens({item}).at(0).arms.size(), 2U);
}

}  // namespace
}  // namespace parity::suite
