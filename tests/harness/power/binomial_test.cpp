// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/power/binomial.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace parity::power {
namespace {

TEST(BinomialTest, AllOrNothingHasAClosedForm) {
  for (const int64_t n : {1, 20, 59, 200}) {
    const double root = std::pow(0.05, 1 / static_cast<double>(n));
    EXPECT_NEAR(at_least({n, n}), root, 1e-12) << n;
    EXPECT_NEAR(at_most({0, n}), 1 - root, 1e-12) << n;
    EXPECT_EQ(at_least({0, n}), 0);
    EXPECT_EQ(at_most({n, n}), 1);
  }
  EXPECT_GT(at_least({59, 59}), 0.95);
  EXPECT_LT(at_least({58, 58}), 0.95);
}

/// Between, the bound is the p at which so many hits or more have probability 0.05: summed by hand for 2 of
/// 3, 3 p^2 (1 - p) + p^3.
TEST(BinomialTest, BetweenItSolvesTheTail) {
  const double p = at_least({2, 3});
  EXPECT_NEAR(3 * p * p * (1 - p) + p * p * p, 0.05, 1e-12);
  EXPECT_NEAR(at_least({19, 20}), 0.7839, 5e-5);
  EXPECT_NEAR(at_most({1, 20}), 1 - at_least({19, 20}), 1e-15);
}

TEST(BinomialTest, WithoutTrialsNothingIsKnown) {
  EXPECT_EQ(at_least({}), 0);
  EXPECT_EQ(at_most({}), 1);
}

}  // namespace
}  // namespace parity::power
