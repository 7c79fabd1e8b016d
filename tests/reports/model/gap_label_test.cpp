// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/model/curves/gap_label.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace parity::reports {
namespace {

TEST(GapLabelTest, ManyArmsAreSpokenForByTheWidestGap) {
  Curve curve;
  curve.steps = {1, 2};
  for (const char* arm : {"a", "b", "c", "d"})
    curve.gap.push_back({arm, {0.0, 0.5}});
  curve.gap[1].values[0] = 0.25;
  EXPECT_EQ(gap_labels(curve).size(), 4U);
  curve.gap.push_back({"e", {0.0, 2.0}});
  EXPECT_EQ(
      gap_labels(curve),
      std::vector<std::string>{"widest of 5 arms: e, largest gap 2 at step 2; identical at 1 of 2 steps"});
  curve.gap[2].values[1] = std::nan("");
  EXPECT_EQ(gap_labels(curve)[0], "widest of 5 arms: c, not a number at step 2; identical at 1 of 2 steps");
}

Curve curve_with_gap(std::vector<Value> gap) {
  Curve curve;
  for (size_t i = 0; i < gap.size(); ++i)
    curve.steps.push_back(static_cast<int64_t>(i) + 1);
  curve.gap.push_back({"b", std::move(gap)});
  return curve;
}

std::string label(std::vector<Value> gap) {
  const Curve curve = curve_with_gap(std::move(gap));
  return gap_label(curve, curve.gap[0]);
}

TEST(GapLabelTest, DescribesAGapInWords) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(label({0.0, 0.0}), "identical at all 2 steps");
  EXPECT_EQ(label({0.0, 0.5, 0.25}), "largest gap 0.5 at step 2; identical at 1 of 3 steps");
  EXPECT_EQ(label({0.5, nan, 9.0}), "not a number at step 2");
  EXPECT_EQ(label({std::nullopt}), "no values");
}

/// Of b to the reference a, over three steps.
Bound bound_of(std::vector<Value> gap, std::vector<Value> limit) {
  return {.arms = {"a", "b"},
          .golden = false,
          .to_reference = true,
          .words = "8 floors",
          .gap = std::move(gap),
          .floor = {0.0, 0.0, 0.0},
          .limit = std::move(limit)};
}

TEST(GapLabelTest, TellsTheLargestGapInUnitsOfItsBound) {
  Curve curve = curve_with_gap({0.5, 0.25, 0.0});
  curve.bounds = {bound_of({0.5, 0.25, 0.0}, {1.0, 0.3125, 0.0})};
  EXPECT_EQ(gap_label(curve, curve.gap[0]),
            "largest gap 0.5 at step 1; identical at 1 of 3 steps; at most 0.8 of its bound, at step 2");
  curve.bounds[0].gap[2] = 0.125;  // where bits must agree
  EXPECT_EQ(gap_labels(curve)[0],
            "largest gap 0.5 at step 1; identical at 1 of 3 steps; at most inf of its bound, at step 3");
  curve.bounds[0].gap[1] = std::nan("");
  EXPECT_NE(gap_label(curve, curve.gap[0]).find("at most nan of its bound"), std::string::npos);
}

TEST(GapLabelTest, NamesBoundsThatAreNotToTheReference) {
  Curve curve = curve_with_gap({0.0, 0.0, 0.0});
  curve.bounds = {bound_of({0.5, std::nullopt, 0.0}, {1.0, std::nullopt, 1.0}),
                  bound_of({0.0, 0.0, 0.0}, {1.0, 1.0, 1.0})};
  for (Bound& bound : curve.bounds)
    bound.to_reference = false;
  curve.bounds[0].arms = {"b", "c"};
  curve.bounds[1].arms = {"b"};
  curve.bounds[1].golden = true;
  EXPECT_EQ(gap_labels(curve), (std::vector<std::string>{
                                   "identical at all 3 steps", "c to b: at most 0.5 of its bound, at step 1",
                                   "b to its golden: identical, where 8 floors would be allowed"}));
}

TEST(GapLabelTest, SaysWhereFloorsComeFromWhereSomeAreDrawn) {
  Case item;
  item.calibration = results::Calibration{"parity calibrate x", 7, {"twin", "threads"}};
  item.curves = {curve_with_gap({0.0})};
  EXPECT_EQ(calibration_label(item), "");
  item.checks.emplace_back().bounds = {
      {.channel = "loss", .words = "8 floors", .steps = {1}, .gap = {0.0}, .floor = {0.0}, .limit = {1.0}}};
  EXPECT_EQ(
      calibration_label(item),
      "Floors and bounds come from 7 runs of each arm in other ways to the same numbers (twin, threads): "
      "parity calibrate x");
}

}  // namespace
}  // namespace parity::reports
