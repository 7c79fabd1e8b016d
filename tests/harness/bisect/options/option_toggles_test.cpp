// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "harness/bisect/options/toggles.hpp"

namespace parity::bisect {
namespace {

std::vector<OptionToggle> toggles() {
  return toggles_between({{"lr.base", 0.1}, {"parallel.pp", 1}, {"parallel.pp_stages", 1}, {"same", 1}},
                         {{"lr.base", 0.2}, {"parallel.pp", 2}, {"parallel.pp_stages", 2}, {"same", 1}});
}

TEST(OptionTogglesTest, WhatDiffersIsAToggleInTheOrderOfKeys) {
  const auto found = toggles();
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].describe_bad(), "lr.base = 0.2");
  EXPECT_EQ(found[2].key, "parallel.pp_stages");
}

TEST(OptionTogglesTest, AKeyThatOnlyOneSideHasIsAToggleToo) {
  const auto found = toggles_between({{"a", 1}}, {{"b", "x"}});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].describe_bad(), "without a");
  EXPECT_EQ(found[1].describe_bad(), "b = \"x\"");
}

TEST(OptionTogglesTest, ANumberIsNoOtherNumberForHavingAPoint) {
  EXPECT_TRUE(toggles_between({{"a", 1}}, {{"a", 1.0}}).empty());
}

TEST(OptionTogglesTest, OnlyWholeKeysAreNamedInAText) {
  EXPECT_EQ(toggles_named_in("cannot use parallel.pp_stages = 2", toggles()), std::vector<size_t>{2});
  EXPECT_EQ(toggles_named_in("set parallel.pp, or parallel.pp_stages.", toggles()),
            (std::vector<size_t>{1, 2}));
  EXPECT_TRUE(toggles_named_in("xlr.base lr.base.more my.lr.base", toggles()).empty());
}

TEST(OptionTogglesTest, ARefusalTeachesWhatGoesTogether) {
  const std::string refusal =
      "cannot use parallel.pp_stages = 2 (a model without a pipeline does not use it); set parallel.pp, or "
      "leave it 1";
  const auto need = need_from(refusal, toggles(), {0, 2}, {0, 1, 2});
  ASSERT_TRUE(need);
  EXPECT_EQ(need->who, Toggles{2});
  EXPECT_EQ(need->what, 1U);
  EXPECT_EQ(closed_under({*need}, {2}), (Toggles{1, 2}));
  EXPECT_EQ(closed_under({*need}, {0}), Toggles{0});
}

TEST(OptionTogglesTest, ARefusalThatNamesNothingElseTeachesNothing) {
  EXPECT_FALSE(need_from("cannot use lr.base = 0.2", toggles(), {0}, {0, 1, 2}));
  EXPECT_FALSE(need_from("set parallel.pp", toggles(), {2}, {0, 2})) << "it is not free";
  const auto whole = need_from("something is wrong; set parallel.pp", toggles(), {0, 2}, {0, 1, 2});
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->who, (Toggles{0, 2})) << "nobody was named";
}

TEST(OptionTogglesTest, NeedsOfNeedsAreMetToo) {
  EXPECT_EQ(closed_under({{{1}, 2}, {{0}, 1}}, {0}), (Toggles{0, 1, 2}));
}

}  // namespace
}  // namespace parity::bisect
