// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/compare/shape.hpp"

#include <cmath>
#include <functional>

#include "harness/logs/compare/compare_logs.hpp"
#include "tests/harness/logs/curve_fixture.hpp"

namespace parity::logs {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// Returns the shape of two logs of 40 steps: one with the values of `first`, the other with those of
/// `second`.
Shape shape_between(const std::function<double(int64_t)>& first,
                    const std::function<double(int64_t)>& second) {
  Log a = curve(1, 40), b = curve(1, 40);
  for (int64_t i = 0; i < 40; ++i) {
    a.channels["loss"].values[static_cast<size_t>(i)] = first(i);
    b.channels["loss"].values[static_cast<size_t>(i)] = second(i);
  }
  LogFilter partial;
  partial.partial = true;
  const LogDifference found = compare_logs(a, b, partial);
  return shape_of(found.channels.at(0)).value_or(Shape{});
}

double falling(int64_t i) {
  return 2 + 1 / static_cast<double>(i + 10);
}

TEST(Shape, EqualCurves_HaveNone) {
  const LogDifference same = compare_logs(curve(1, 40), curve(1, 40), {});
  EXPECT_FALSE(shape_of(same.channels.at(0)));
}

TEST(Shape, FirstStep_HasItsGapInThreeUnits) {
  const auto zigzag = [](int64_t i) { return static_cast<double>(4 + i % 2); };  // second differences are 2
  const Shape found = shape_between(zigzag, [&](int64_t i) { return i == 4 ? 4.5 : zigzag(i); });
  EXPECT_EQ(found.step, 5);
  EXPECT_EQ(found.gap, 0.5);
  EXPECT_EQ(found.ulp, uint64_t{1} << 20);
  EXPECT_TRUE(found.float32_valued);
  EXPECT_NEAR(found.noises.value(), 0.5 / (std::sqrt(2.0) / 1.652 * 2), 1e-12);
  EXPECT_THAT(found.text(), StartsWith("gap 0.5 (1048576 float32 ULPs, 0.29 times the curve's noise"));
}

TEST(Shape, OneUlp_IsCounted) {
  const Shape found =
      shape_between(falling, [](int64_t i) { return i == 7 ? std::nextafter(falling(i), 9.0) : falling(i); });
  EXPECT_EQ(found.ulp, 1U);
  EXPECT_THAT(found.text(), HasSubstr("1 float64 ULP,"));
}

TEST(Shape, Lag_IsFound) {
  for (const int64_t lag : {1, 3, 8, -2})
    EXPECT_THAT(shape_between(falling, [&](int64_t i) { return falling(i - lag); }).looks,
                HasSubstr(std::to_string(std::abs(lag)) + " step"));
  EXPECT_EQ(shape_between(falling, [](int64_t i) { return falling(i - 9); }).looks, "");
}

TEST(Shape, Factor_IsFound) {
  EXPECT_THAT(shape_between(falling, [](int64_t i) { return 8 * falling(i); }).looks, HasSubstr("8 times"));
}

TEST(Shape, Offset_IsFound) {
  EXPECT_THAT(shape_between(falling, [](int64_t i) { return falling(i) + 0.125; }).looks,
              HasSubstr("the first's plus 0.125 at every step"));
  EXPECT_THAT(shape_between(falling, [](int64_t i) { return falling(i) - 0.3; }).looks,
              HasSubstr("the first's minus 0.3 at every step"));
}

TEST(Shape, OffsetThatMoves_IsNone) {
  EXPECT_EQ(
      shape_between(falling, [](int64_t i) { return falling(i) + 0.1 + (i % 2 == 0 ? 1e-5 : 0); }).looks, "");
}

TEST(Shape, OffsetOfAFewUlps_IsNone) {
  EXPECT_EQ(shape_between(falling, [](int64_t i) { return std::nextafter(falling(i), 9.0); }).looks, "");
}

TEST(Shape, End_IsFound) {
  const auto until = [](int64_t last) {
    return [last](int64_t i) { return falling(i) + (i <= last ? 0.01 * static_cast<double>(1 + i % 3) : 0); };
  };
  EXPECT_THAT(shape_between(falling, until(20)).looks,
              HasSubstr("differs up to step 21 only, and agrees at the 19 steps after it"));
  EXPECT_THAT(shape_between(falling, until(0)).looks, HasSubstr("differs at step 1 only"));
  EXPECT_EQ(shape_between(falling, until(37)).looks, "");
}

TEST(Shape, Growth_IsFound) {
  const auto grow = [](int64_t i) { return falling(i) + (i < 2 ? 0 : 1e-7 * std::pow(1.5, i - 2)); };
  EXPECT_THAT(shape_between(falling, grow).looks,
              StartsWith("the gap of loss grows: from 1e-07 at step 3 to "));
}

TEST(Shape, GapWithoutAForm_IsNone) {
  const auto noise = [](int64_t i) { return falling(i) + 1e-3 * std::sin(7.0 * static_cast<double>(i + 1)); };
  EXPECT_EQ(shape_between(falling, noise).looks, "");
}

TEST(Shape, Nan_HasNoUnits) {
  const Shape found = shape_between(falling, [](int64_t i) { return i == 3 ? std::nan("") : falling(i); });
  EXPECT_TRUE(std::isnan(found.gap));
  EXPECT_FALSE(found.ulp);
  EXPECT_FALSE(found.noises);
  EXPECT_EQ(found.to_json().at("gap"), "nan");
}

TEST(Shape, LongLaggingCurve_IsFast) {
  LogFilter partial;
  partial.partial = true;
  Log a = curve(1, 300'000), b = curve(1, 300'000);
  for (size_t i = 3; i < 300'000; ++i)
    b.channels["loss"].values[i] = a.channels["loss"].values[i - 3];
  const LogDifference found = compare_logs(a, b, partial);
  EXPECT_THAT(shape_of(found.channels.at(0))->looks, HasSubstr("by 3 steps"));
}

}  // namespace
}  // namespace parity::logs
