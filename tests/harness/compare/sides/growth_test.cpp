// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/sides/growth.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "harness/compare/sides/floors.hpp"

namespace parity::compare {
namespace {

/// 1e-7 that doubles each step, up to `last`, then `level` for `more` steps.
std::vector<GrowthPoint> doubling(int64_t last, int64_t more = 0, double level = 0) {
  std::vector<GrowthPoint> points;
  for (int64_t step = 1; step <= last; ++step)
    points.push_back({step, 1e-7 * std::pow(2.0, static_cast<double>(step))});
  for (int64_t step = last + 1; step <= last + more; ++step)
    points.push_back({step, level});
  return points;
}

TEST(GrowthTest, ADifferenceThatDoublesEachStepIsFoundAsSuch) {
  const Growth growth = fit_growth(doubling(6));
  EXPECT_NEAR(growth.initial, 1e-7, 1e-16);
  EXPECT_NEAR(growth.rate, std::log(2.0), 1e-9);
  EXPECT_EQ(growth.points, 6U);
  EXPECT_TRUE(std::isinf(growth.saturation));
  EXPECT_NEAR(growth.at(10), 1.024e-4, 1e-12);
}

TEST(GrowthTest, WhereItStopsGrowingIsTheSaturation) {
  const Growth growth = fit_growth(doubling(5, 4, 4e-6));
  EXPECT_NEAR(growth.initial, 1e-7, 1e-15);
  EXPECT_NEAR(growth.rate, std::log(2.0), 1e-7);
  EXPECT_NEAR(growth.saturation, 4e-6, 1e-15);
  EXPECT_NEAR(growth.at(3), 8e-7, 1e-14);
  EXPECT_NEAR(growth.at(9), 4e-6, 1e-15);
}

TEST(GrowthTest, ALevelIsNoGrowthAndNotSaturated) {
  const Growth growth = fit_growth(doubling(0, 8, 3e-8));
  EXPECT_NEAR(growth.rate, 0, 1e-12);
  EXPECT_NEAR(growth.at(100), 3e-8, 1e-16);
  EXPECT_TRUE(std::isinf(growth.saturation));
}

TEST(GrowthTest, TwoPointsAndZerosTellNothing) {
  EXPECT_FALSE(fit_growth(doubling(2)).known());
  EXPECT_FALSE(fit_growth({{1, 0}, {2, 0}, {3, 1e-7}, {4, NAN}, {5, 1e-7}}).known());
  EXPECT_EQ(fit_growth(doubling(2)).at(5), 0);
}

ArmFloors floors_of(const std::vector<double>& noise, double scale = 2) {
  ArmFloors arm;
  for (size_t i = 0; i < noise.size(); ++i)
    arm.rows.push_back({"loss", static_cast<int64_t>(i) + 1, scale, {noise[i], noise[i] / 2}});
  return arm;
}

TEST(FloorCurveTest, StepsBeforeNoise_AreExactGapsAreFilled) {
  // Relative 1e-6, 2e-6, (0 by chance), 8e-6 at steps 2 to 5: doubling, so 4e-6 at step 4.
  const FloorCurve curve(floors_of({0, 2e-6, 4e-6, 0, 16e-6}), "loss");
  EXPECT_EQ(curve.at(1), 0.0);
  EXPECT_EQ(curve.at(2), 2e-6);
  EXPECT_NEAR(*curve.at(4), 8e-6, 1e-15);
  EXPECT_NEAR(*curve.relative_at(4), 4e-6, 1e-15);
  EXPECT_EQ(curve.at(5), 16e-6);
  EXPECT_EQ(curve.at(6), std::nullopt);
  EXPECT_TRUE(FloorCurve(floors_of({1e-6}), "grad_norm").empty());
}

TEST(FloorCurveTest, NoisiestMeasuredKind_Counts) {
  const FloorRow row{"loss", 1, 1, {NAN, 3e-7, 1e-7}};
  EXPECT_EQ(row.largest(), 3e-7);
  EXPECT_EQ((FloorRow{"loss", 1, 1, {NAN}}).largest(), 0);
}

}  // namespace
}  // namespace parity::compare
