// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/curves/series_difference.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "harness/compare/curves/pattern.hpp"
#include "tests/support/traces/series.hpp"

namespace parity::compare {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(SeriesDifferenceTest, MeasuresByHand) {
  const SeriesDifference found = measure_series(series({3, 4, 0}), series({3, 4.5, 0}));
  EXPECT_EQ(found.differing, 1U);
  EXPECT_EQ(found.first, 1U);
  EXPECT_EQ(found.worst, 1U);
  EXPECT_EQ(found.gap, 0.5);
  EXPECT_EQ(found.norm, 5);
  EXPECT_EQ(found.relative_l2, 0.1);
  EXPECT_EQ(found.relative_linf, 0.125);
  EXPECT_EQ(found.needed_rtol, 0.125);
  EXPECT_EQ(found.max_ulp, 1U << 20);  // 0.5 in steps of 2^-21, those of a float32 in [4, 8)
}

TEST(SeriesDifferenceTest, Ulps_AreOfFloat32OnlyIfAllValuesAre) {
  EXPECT_EQ(measure_series(series({1}), series({std::nextafter(1.0F, 2.0F)})).max_ulp, 1U);
  EXPECT_EQ(measure_series(series({1}), series({std::nextafter(1.0, 2.0)})).max_ulp, 1U);
  EXPECT_EQ(measure_series(series({1, 0.1}), series({std::nextafter(1.0F, 2.0F), 0.1})).max_ulp, 1U << 29);
}

TEST(SeriesDifferenceTest, CountsUlpsAcrossZero) {
  EXPECT_EQ(measure_series(series({-5e-324}), series({5e-324})).max_ulp, 2U);
  EXPECT_EQ(measure_series(series({-0.0}), series({0.0})).max_ulp, 0U);
}

TEST(SeriesDifferenceTest, AZeroReferenceGivesInfiniteRelativeGaps) {
  const SeriesDifference found = measure_series(series({0, 0}), series({0, 1e-30}));
  EXPECT_EQ(found.gap, 1e-30);
  EXPECT_EQ(found.relative_l2, infinity);
  EXPECT_EQ(found.needed_rtol, infinity);
  EXPECT_EQ(measure_series(series({0}), series({0})).relative_l2, 0);
}

TEST(SeriesDifferenceTest, NanMakesEveryGapNanOnEitherSide) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [e, a] : {std::pair{nan, 1.0}, std::pair{1.0, nan}, std::pair{nan, nan}}) {
    const SeriesDifference found = measure_series(series({1, e}), series({1, a}));
    EXPECT_FALSE(found.identical());
    EXPECT_TRUE(std::isnan(found.gap));
    EXPECT_TRUE(std::isnan(found.relative_linf));
    EXPECT_TRUE(std::isnan(found.needed_rtol));
    EXPECT_EQ(found.worst, 1U);
  }
}

TEST(SeriesDifferenceTest, InfinitiesAgreeWithThemselvesOnly) {
  EXPECT_TRUE(measure_series(series({infinity}), series({infinity})).identical());
  EXPECT_FALSE(measure_series(series({infinity}), series({-infinity})).identical());
  EXPECT_FALSE(measure_series(series({infinity}), series({1})).relative_l2 <= 1e300);
}

TEST(SeriesDifferenceTest, EmptySeriesAreIdentical) {
  EXPECT_TRUE(measure_series(series({}), series({})).identical());
}

TEST(CurvePatternTest, FindsLagsOfBothSigns) {
  EXPECT_EQ(find_lag(series({1, 2, 3, 4, 5}), series({0, 1, 2, 3, 4})), 1);
  EXPECT_EQ(find_lag(series({0, 1, 2, 3, 4}), series({1, 2, 3, 4, 5})), -1);
  EXPECT_EQ(find_lag(series({1, 2, 3, 4, 5}), series({9, 9, 1, 2, 3})), 2);
}

TEST(CurvePatternTest, SeesNoLagInFlatOrUnrelatedCurves) {
  EXPECT_EQ(find_lag(series({1, 1, 1, 1, 1}), series({1, 1, 1, 1, 2})), std::nullopt);
  EXPECT_EQ(find_lag(series({1, 2, 3, 4, 5}), series({2, 4, 8, 16, 32})), std::nullopt);
  EXPECT_EQ(find_lag(series({1, 2, 3, 4, 5}), series({0, 1, 2, 3, std::nextafter(4.0, 5.0)})), std::nullopt);
}

TEST(CurvePatternTest, NamesWholeFactorsDespiteRounding) {
  const auto ratio = find_ratio(series({1, 2, 3}), series({8 * (1 + 4e-5), 16, 24 * (1 - 4e-5)}));
  ASSERT_TRUE(ratio);
  EXPECT_EQ(ratio->whole, 8);
  EXPECT_FALSE(ratio->inverse);
  EXPECT_TRUE(ratio->every_step);
  EXPECT_FALSE(
      find_ratio(series({1, 2, 3}), series({8 * (1 + 4e-4), 8 * 2 * (1 + 4e-4), 24 * (1 + 4e-4)}))->whole ==
      8);
}

TEST(CurvePatternTest, NamesOtherConstantsOnlyWhereTheyAreConstant) {
  const auto ratio = find_ratio(series({1, 2, 3}), series({0.3, 0.6, 0.9}));
  ASSERT_TRUE(ratio);
  EXPECT_EQ(ratio->whole, 0);
  EXPECT_NEAR(ratio->value, 0.3, 1e-12);
  EXPECT_FALSE(find_ratio(series({1, 2, 3}), series({0.3, 0.6, 0.91})));
  EXPECT_FALSE(find_ratio(series({1, 2, 3}), series({1.0000001, 2, 3})));
}

TEST(CurvePatternTest, SeesAFactorAtTheFirstStepOfCurvesThatGoApart) {
  const auto ratio = find_ratio(series({1, 2, 3}), series({0.25, 1.7, 2.2}));
  ASSERT_TRUE(ratio);
  EXPECT_EQ(ratio->whole, 4);
  EXPECT_TRUE(ratio->inverse);
  EXPECT_FALSE(ratio->every_step);
}

}  // namespace
}  // namespace parity::compare
