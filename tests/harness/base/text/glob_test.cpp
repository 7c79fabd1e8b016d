// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/text/glob.hpp"

#include <gtest/gtest.h>

namespace parity {
namespace {

TEST(GlobTest, StarCrossesDots) {
  EXPECT_TRUE(glob_match("layers.*.wq.weight", "layers.0.attention.wq.weight"));
  EXPECT_TRUE(glob_match("*", ""));
  EXPECT_TRUE(glob_match("a*b*c", "a--b--b--c"));
}

TEST(GlobTest, RejectsWhatDoesNotFit) {
  EXPECT_FALSE(glob_match("layers.*.wk.weight", "layers.0.attention.wq.weight"));
  EXPECT_FALSE(glob_match("", "a"));
  EXPECT_FALSE(glob_match("a?c", "ac"));
  EXPECT_FALSE(glob_match("a*b", "abc"));
}

TEST(GlobTest, MatchesALiteralStarInTheText) {
  EXPECT_TRUE(glob_match("a*c", "a*bc"));
}

}  // namespace
}  // namespace parity
