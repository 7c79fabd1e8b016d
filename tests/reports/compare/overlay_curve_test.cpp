// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/compare/overlay_curve.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace parity::reports {
namespace {

/// Returns the curve of two sides over steps from 1, with their gap.
Curve curve_of(const std::vector<Value>& a, const std::vector<Value>& b) {
  Curve curve;
  Series gap{"b", {}};
  for (size_t i = 0; i < a.size(); ++i) {
    curve.steps.push_back(static_cast<int64_t>(i) + 1);
    gap.values.push_back(a[i] && b[i] ? Value(std::abs(*a[i] - *b[i])) : std::nullopt);
  }
  curve.series = {{"a", a}, {"b", b}};
  curve.gap = {gap};
  return curve;
}

TEST(OverlayCurve, ShortCurve_IsWhole) {
  const std::vector<Value> a = {1.0, 2.0, std::nullopt}, b = {1.0, 2.5, INFINITY};
  const OverlayCurve overlay = overlay_curve(curve_of(a, b));
  EXPECT_EQ(overlay.merged, 1U);
  EXPECT_EQ(overlay.curve.series[0].values, a);
  EXPECT_EQ(overlay.curve.series[1].values, b);
  EXPECT_EQ(overlay.curve.gap[0].values, (std::vector<Value>{0.0, 0.5, std::nullopt}));
}

TEST(OverlayCurve, LongCurve_KeepsSpikes) {
  std::vector<Value> a(100'000, 1.0), b(100'000, 1.0);
  a[4'321] = 9;
  b[77'777] = -5;
  const OverlayCurve overlay = overlay_curve(curve_of(a, b));
  const std::vector<int64_t>& steps = overlay.curve.steps;
  EXPECT_EQ(overlay.merged, 100U);
  EXPECT_EQ(steps.size(), most_points);
  EXPECT_EQ(steps.front(), 1);
  EXPECT_EQ(steps.back(), 100'000);
  EXPECT_TRUE(std::ranges::is_sorted(steps));
  EXPECT_EQ(std::ranges::max(overlay.curve.series[0].values), 9);
  EXPECT_EQ(std::ranges::min(overlay.curve.series[1].values), -5);
  EXPECT_EQ(std::ranges::count(overlay.curve.gap[0].values, Value(8.0)), 1);
  EXPECT_EQ(std::ranges::count(overlay.curve.gap[0].values, Value(6.0)), 1);
}

TEST(OverlayCurve, Bucket_KeepsTheOrderOfItsEnds) {
  std::vector<Value> a(4'000);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = -static_cast<double>(i);
  const std::vector<Value> kept = overlay_curve(curve_of(a, a)).curve.series[0].values;
  EXPECT_EQ(kept[0], 0);
  EXPECT_EQ(kept[1], -3);
  EXPECT_EQ(kept[2], -4);
}

TEST(OverlayCurve, ValueThatIsNotFinite_HidesNoOther) {
  std::vector<Value> a(4'000, 2.0), b(4'000, 2.0);
  b[0] = 1, b[1] = NAN, b[2] = 3;
  const Curve curve = overlay_curve(curve_of(a, b)).curve;
  ASSERT_EQ(curve.steps.size(), most_points + 1);
  EXPECT_EQ(curve.series[1].values[0], 1);
  EXPECT_TRUE(std::isnan(*curve.series[1].values[1]));
  EXPECT_EQ(curve.series[1].values[2], 3);
  EXPECT_EQ(curve.series[0].values.size(), curve.gap[0].values.size());
}

TEST(OverlayCurve, SideThatEndsEarlier_HasNoValuesThere) {
  std::vector<Value> a(4'000, 2.0), b(4'000);
  std::fill_n(b.begin(), 2'000, 2.0);
  Curve whole = curve_of(a, b);
  whole.floor.assign(4'000, 0.5);
  const Curve curve = overlay_curve(std::move(whole)).curve;
  EXPECT_EQ(curve.series[1].values.front(), 2.0);
  EXPECT_EQ(curve.series[1].values.back(), std::nullopt);
  EXPECT_EQ(curve.gap[0].values.back(), std::nullopt);
  EXPECT_EQ(curve.floor, std::vector<Value>(most_points, 0.5));
}

}  // namespace
}  // namespace parity::reports
