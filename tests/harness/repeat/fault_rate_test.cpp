// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/repeat/fault_rate.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace parity::repeat {
namespace {

TEST(FaultRateTest, CleanRuns_ExcludeTheExactBound) {
  EXPECT_DOUBLE_EQ(excluded_rate(1), 0.95);
  EXPECT_NEAR(std::pow(1 - excluded_rate(299), 299), 0.05, 1e-12);
  EXPECT_EQ(excluded_rate(0), 1);
}

TEST(FaultRateTest, Rate_NeedsTheSmallestNumber) {
  for (const double rate : {0.5, 0.1, 0.01, 1e-4}) {
    const int64_t needed = repetitions_to_exclude(rate);
    EXPECT_LE(excluded_rate(needed), rate);
    EXPECT_GT(excluded_rate(needed - 1), rate);
  }
  EXPECT_EQ(repetitions_to_exclude(0.01), 299);
  EXPECT_EQ(repetitions_to_exclude(0.95), 1);
}

}  // namespace
}  // namespace parity::repeat
