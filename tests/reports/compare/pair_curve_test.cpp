// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/compare/pair_curve.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace parity::reports {
namespace {

std::vector<int64_t> steps_to(int64_t count) {
  std::vector<int64_t> steps;
  for (int64_t step = 1; step <= count; ++step)
    steps.push_back(step);
  return steps;
}

TEST(PairCurve, ShortCurve_IsWhole) {
  const std::vector<double> a = {1, 2, 3}, b = {1, 2.5, INFINITY};
  const PairCurve curve = pair_curve(steps_to(3), a, b);
  EXPECT_EQ(curve.merged, 1U);
  EXPECT_EQ(curve.first, a);
  EXPECT_EQ(curve.second, b);
  EXPECT_EQ(curve.gap, (std::vector<double>{0, 0.5, INFINITY}));
}

TEST(PairCurve, LongCurve_KeepsSpikes) {
  std::vector<double> a(100'000, 1.0), b(100'000, 1.0);
  a[4'321] = 9;
  b[77'777] = -5;
  const PairCurve curve = pair_curve(steps_to(100'000), a, b);
  EXPECT_EQ(curve.merged, 100U);
  EXPECT_EQ(curve.steps.size(), most_points);
  EXPECT_EQ(curve.steps.front(), 1);
  EXPECT_EQ(curve.steps.back(), 100'000);
  EXPECT_TRUE(std::ranges::is_sorted(curve.steps));
  EXPECT_EQ(std::ranges::max(curve.first), 9);
  EXPECT_EQ(std::ranges::min(curve.second), -5);
  EXPECT_EQ(std::ranges::count(curve.gap, 8.0), 1);
  EXPECT_EQ(std::ranges::count(curve.gap, 6.0), 1);
}

TEST(PairCurve, Bucket_KeepsTheOrderOfItsEnds) {
  std::vector<double> a(4'000);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = -static_cast<double>(i);
  const PairCurve curve = pair_curve(steps_to(4'000), a, a);
  EXPECT_EQ(curve.first[0], 0);
  EXPECT_EQ(curve.first[1], -3);
  EXPECT_EQ(curve.first[2], -4);
}

TEST(PairCurve, ValueThatIsNotFinite_HidesNoOther) {
  std::vector<double> a(4'000, 2.0), b(4'000, 2.0);
  b[0] = 1, b[1] = NAN, b[2] = 3;
  const PairCurve curve = pair_curve(steps_to(4'000), a, b);
  ASSERT_EQ(curve.steps.size(), most_points + 1);
  EXPECT_EQ(curve.second[0], 1);
  EXPECT_TRUE(std::isnan(curve.second[1]));
  EXPECT_EQ(curve.second[2], 3);
  EXPECT_EQ(curve.first.size(), curve.gap.size());
}

}  // namespace
}  // namespace parity::reports
