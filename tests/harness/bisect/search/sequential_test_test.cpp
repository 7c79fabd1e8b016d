// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/search/sequential_test.hpp"

#include <gtest/gtest.h>

namespace parity::bisect {
namespace {

TEST(SequentialTestTest, FivePassesAreEnough) {
  SequentialTest test;
  for (int i = 0; i < 4; ++i)
    test.add(true);
  EXPECT_FALSE(test.decision());
  test.add(true);
  EXPECT_EQ(test.decision(), true);
  EXPECT_EQ(test.looks(), 5);
}

TEST(SequentialTestTest, AnEarlyFailureIsEnough) {
  SequentialTest first, second;
  first.add(false);
  EXPECT_EQ(first.decision(), false);
  second.add(true);
  second.add(false);
  EXPECT_EQ(second.decision(), false);
}

TEST(SequentialTestTest, ALateFailureAsksForMoreAndEndsAllTheSame) {
  SequentialTest test;
  for (const bool passed : {true, true, false})
    test.add(passed);
  EXPECT_FALSE(test.decision()) << "one failure of three is likely under neither";
  test.add(false);
  EXPECT_EQ(test.decision(), false);
  SequentialTest mixed;
  for (int i = 0; !mixed.decision(); ++i)
    mixed.add(i != 4);
  EXPECT_LE(mixed.looks(), SequentialTest::most);
}

}  // namespace
}  // namespace parity::bisect
