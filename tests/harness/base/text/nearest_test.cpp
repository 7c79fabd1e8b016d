// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/text/nearest.hpp"

#include <gtest/gtest.h>

namespace parity {
namespace {

const std::vector<std::string> known = {"lr.first_index", "lr.warmup_steps", "steps"};

TEST(NearestTest, FindsTheNameThatWasMeant) {
  EXPECT_EQ(nearest("lr.frist_index", known), "lr.first_index");
  EXPECT_EQ(nearest("step", known), "steps");
}

TEST(NearestTest, GivesNothingWhenNothingIsNear) {
  EXPECT_EQ(nearest("optimizer.name", known), "");
}

TEST(NearestTest, SuggestionListsTheKnownNames) {
  EXPECT_EQ(suggestion("step", known),
            " (did you mean 'steps'?); known: lr.first_index, lr.warmup_steps, steps");
  EXPECT_EQ(suggestion("x", {}), "");
}

}  // namespace
}  // namespace parity
