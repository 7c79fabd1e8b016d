// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/text/step_set.hpp"

#include <set>

#include <gtest/gtest.h>

namespace parity::compare {
namespace {

TEST(StepSetTest, SaysItsRangesAndItsCount) {
  const StepSet steps({1, 2, 3, 9, 5});
  EXPECT_EQ(steps.text(), "steps 1-3, 5, 9");
  EXPECT_EQ(steps.count(), 5);
  EXPECT_EQ(StepSet({7}).text(), "step 7");
  EXPECT_EQ(StepSet().text(), "no step");
  EXPECT_EQ(StepSet({1, 3, 5, 7, 9, 11}).text(), "steps 1, 3, 5, 7 and 2 more");
}

TEST(StepSetTest, AnEmptyRangeAddsNothing) {
  StepSet steps;
  steps.add(4, 3);
  EXPECT_TRUE(steps.empty());
  EXPECT_EQ(steps, StepSet());
}

TEST(StepSetTest, IsTheSetOfItsSteps) {
  uint64_t random = 1;
  const auto below = [&](uint64_t bound) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    return static_cast<int64_t>((random >> 33) % bound);
  };
  for (int round = 0; round < 500; ++round) {
    StepSet left, right;
    std::set<int64_t> in_left, in_right;
    for (int i = 0; i < 6; ++i)
      for (auto [steps, all] : {std::pair{&left, &in_left}, std::pair{&right, &in_right}}) {
        const int64_t first = below(30), last = first + below(4) - 1;
        steps->add(first, last);
        for (int64_t step = first; step <= last; ++step)
          all->insert(step);
      }
    std::vector<int64_t> both, only;
    for (const int64_t step : in_left)
      (in_right.contains(step) ? both : only).push_back(step);
    ASSERT_EQ(left.count(), static_cast<int64_t>(in_left.size()));
    ASSERT_EQ(left, StepSet({in_left.begin(), in_left.end()}));
    ASSERT_EQ(left.without(right), StepSet(only));
    ASSERT_EQ(left.common(right), StepSet(both));
  }
}

}  // namespace
}  // namespace parity::compare
