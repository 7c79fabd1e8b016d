// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/twins/collapse.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace parity::compare {
namespace {

constexpr double quantity = 8;

/// A float32 gap of 2^-20 of the quantity that falls by 2^`log2`.
Collapse falling_by(double log2) {
  return {quantity * 0x1p-20, quantity * 0x1p-20 / std::exp2(log2), quantity};
}

TEST(CollapseTest, AcceptsWhatRoundingGives) {
  EXPECT_TRUE(CollapseRule{}.accepts(falling_by(29)));
}

TEST(CollapseTest, RejectsAGapThatStays) {
  EXPECT_FALSE(CollapseRule{}.accepts(falling_by(0)));
  EXPECT_EQ(CollapseRule{}.explain(falling_by(0)),
            "the gap is 7.6e-06 in float32 and 7.6e-06 in float64, 2^0.0 times smaller (rounding shrinks at "
            "least 2^20 "
            "times)");
}

TEST(CollapseTest, TwiceTheNeededRatioPassesAndHalfFails) {
  const double gap32 = quantity * 0x1p-24;  // so that the second condition does not matter
  EXPECT_TRUE(CollapseRule{}.accepts({gap32, gap32 * 0x1p-21, quantity}));
  EXPECT_FALSE(CollapseRule{}.accepts({gap32, gap32 * 0x1p-19, quantity}));
}

TEST(CollapseTest, HalfTheAllowedFloat64GapPassesAndTwiceFails) {
  const double limit = 0x1p-43 * quantity;
  EXPECT_TRUE(CollapseRule{}.accepts({1e-3, limit / 2, quantity}));
  const Collapse beyond{1e-3, limit * 2, quantity};
  EXPECT_FALSE(CollapseRule{}.accepts(beyond));
  EXPECT_NE(CollapseRule{}.explain(beyond).find("leaves at most 1.1e-13"), std::string::npos);
}

TEST(CollapseTest, FindsADifferenceThatFloat32RoundsAway) {
  EXPECT_FALSE(CollapseRule{}.accepts({0, 1e-9, quantity}));
  EXPECT_TRUE(CollapseRule{}.accepts({0, 1e-15, quantity}));
}

TEST(CollapseTest, AGapThatVanishesInFloat64Collapses) {
  EXPECT_TRUE(CollapseRule{}.accepts({1e-7, 0, quantity}));
  EXPECT_EQ(CollapseRule{}.explain({1e-7, 0, quantity}), "the gap is 1e-07 in float32 and 0 in float64");
  EXPECT_TRUE(CollapseRule{}.accepts({0, 0, 0}));
}

TEST(CollapseTest, AcceptsTwinsThatAgreeToTheLastBitsOfADouble) {
  const double gap32 = quantity * 0x1p-36;  // averaged down: 2^20 below it is less than a double resolves
  const Collapse within{gap32, quantity * 0x1p-52, quantity};
  EXPECT_TRUE(CollapseRule{}.accepts(within));
  EXPECT_NE(CollapseRule{}.explain(within).find("to the last bits of a double"), std::string::npos);
  EXPECT_FALSE(CollapseRule{}.accepts({gap32, quantity * 0x1p-50, quantity}));
}

TEST(CollapseTest, RejectsAFloat64GapBesideAZeroQuantity) {
  EXPECT_FALSE(CollapseRule{}.accepts({1e-3, 1e-20, 0}));
}

TEST(CollapseTest, RejectsNanAnywhere) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(CollapseRule{}.accepts({nan, 0, quantity}));
  EXPECT_FALSE(CollapseRule{}.accepts({1e-7, nan, quantity}));
  EXPECT_FALSE(CollapseRule{}.accepts({1e-7, 1e-16, nan}));
}

}  // namespace
}  // namespace parity::compare
