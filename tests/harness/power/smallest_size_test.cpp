// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/power/smallest_size.hpp"

#include <set>

#include <gtest/gtest.h>

namespace parity::power {
namespace {

TEST(SmallestSizeTest, EveryThresholdIsFoundInFewQuestions) {
  constexpr size_t count = 27;
  for (size_t threshold = 0; threshold < count; ++threshold) {
    std::multiset<size_t> asked;
    const SmallestSize found = smallest_size(count, [&](size_t index) {
      asked.insert(index);
      return index >= threshold;
    });
    EXPECT_EQ(found.index, threshold);
    EXPECT_TRUE(found.rising);
    EXPECT_LE(asked.size(), 7U);
    for (const size_t index : asked)
      EXPECT_EQ(asked.count(index), 1U);
  }
}

TEST(SmallestSizeTest, WhatIsNeverSeenCostsOneQuestion) {
  size_t asked = 0;
  EXPECT_FALSE(smallest_size(27, [&](size_t) { return ++asked == 0; }).index);
  EXPECT_EQ(asked, 1U);
  EXPECT_FALSE(smallest_size(0, [](size_t) { return true; }).index);
}

TEST(SmallestSizeTest, AHoleRightAboveIsTold) {
  const SmallestSize found = smallest_size(9, [](size_t index) { return index != 5 && index >= 4; });
  EXPECT_EQ(found.index, 4U);
  EXPECT_FALSE(found.rising);
}

}  // namespace
}  // namespace parity::power
