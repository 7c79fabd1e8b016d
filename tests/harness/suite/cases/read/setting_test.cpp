// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/cases/read/setting.hpp"

#include <gmock/gmock.h>

#include "tests/harness/suite/suite_fixture.hpp"

namespace parity::suite {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Json value_of(const std::string& text) {
  return parse_setting("key=" + text).value;
}

TEST(SettingTest, Values_ReadAsInCaseFileWordsNeedNoQuotes) {
  EXPECT_EQ(value_of("3"), Json(3));
  EXPECT_TRUE(value_of("3").is_number_integer());
  EXPECT_EQ(value_of("1e-3"), Json(0.001));
  EXPECT_EQ(value_of("true"), Json(true));
  EXPECT_EQ(value_of("[\"a\", \"b\"]"), (Json{"a", "b"}));
  EXPECT_EQ(value_of("\"3\""), Json("3"));
  EXPECT_EQ(value_of("warmup_linear"), Json("warmup_linear"));
  EXPECT_EQ(value_of("a=b"), Json("a=b"));
  EXPECT_EQ(value_of(""), Json(""));
  EXPECT_EQ(value_of("2026-11-21"), Json("2026-11-21"));
  EXPECT_EQ(value_of("3\nother = 4"), Json("3\nother = 4"));
}

TEST(SettingTest, AnArmMayStandBeforeTheKey) {
  const Setting setting = parse_setting("zero_indexed:data.path=a:b");
  EXPECT_EQ(setting.arm, "zero_indexed");
  EXPECT_EQ(setting.key, "data.path");
  EXPECT_EQ(setting.value, Json("a:b"));
  EXPECT_EQ(parse_setting("data.path=a:b").arm, "");
}

using SettingsTest = SuiteTest;

TEST_F(SettingsTest, Setting_ChangesCasesWithArmLastValueWins) {
  std::vector<Case> cases = {
      write_case("one", shell_arm("a", "true") + shell_arm("b", "true") + losses_identical()),
      write_case("two", shell_arm("b", "true") + shell_arm("c", "true") + losses_identical())};
  apply_settings(cases, {"a:width=1", "a:width=2"});
  EXPECT_EQ(cases[0].arm("a").config.at("width").value, Json(2));
  EXPECT_THAT(cases[0].arm("b").config, IsEmpty());
  EXPECT_THAT(cases[0].settings, ElementsAre("a:width=1", "a:width=2"));
  EXPECT_THAT(cases[0].golden.arms, IsEmpty());
  EXPECT_THAT(cases[1].settings, IsEmpty());
  EXPECT_THAT(cases[1].golden.arms, ElementsAre("b", "c"));
}

}  // namespace
}  // namespace parity::suite
