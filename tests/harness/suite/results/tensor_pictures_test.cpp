// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "harness/results/write_check.hpp"
#include "harness/suite/results/pictures/tensors.hpp"
#include "tests/harness/suite/suite_fixture.hpp"
#include "tests/support/traces/planted_runs.hpp"

namespace parity::suite {
namespace {

class TensorPictureTest : public PlantedTest {
 protected:
  const trace::TensorKey key_ = {1, trace::Phase::grad, "wq"};

  /// The picture of one tensor in two runs.
  std::optional<results::TensorPicture> picture(const std::vector<float>& expected,
                                                const std::vector<float>& actual, const Shape& shape,
                                                bool whole = true) {
    const auto run = [&](const std::vector<float>& values) {
      return PlantedRun{.channels = {{"loss", std::vector<double>{1.0}}},
                        .tensors = {{key_, values, shape}},
                        .whole = whole};
    };
    const trace::Trace* e = write("e", run(expected));
    const trace::Trace* a = write("a", run(actual));
    return picture_of(compare::tensor_source(*e, key_), compare::tensor_source(*a, key_));
  }
};

TEST_F(TensorPictureTest, ASmallTensorHasACellAnElement) {
  const auto found = picture({1, 2, 3, 4, 5, 6}, {1, 2, 3.5F, 4, 5, 4}, {2, 3});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rows, 2);
  EXPECT_EQ(found->columns, 3);
  EXPECT_EQ(found->cells, (std::vector<std::vector<double>>{{0, 0, 0.5}, {0, 0, 2}}));
}

TEST_F(TensorPictureTest, ALargeTensorKeepsTheLargestOfEachCell) {
  std::vector<float> expected(100 * 130, 1.0F), actual = expected;
  actual[0] = 1.25F;
  actual[1] = 1.5F;            // the same cell, larger
  actual[99 * 130 + 129] = 3;  // the last element
  const auto found = picture(expected, actual, {100, 130});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->cells.size(), 48U);
  ASSERT_EQ(found->cells[0].size(), 64U);
  EXPECT_EQ(found->cells[0][0], 0.5);
  EXPECT_EQ(found->cells[47][63], 2);
  double sum = 0;
  for (const auto& row : found->cells)
    for (const double cell : row)
      sum += cell;
  EXPECT_EQ(sum, 2.5) << "no other cell differs";
  EXPECT_EQ(found->row_starts.back(), 97);
  EXPECT_EQ(found->column_starts.back(), 127);
}

TEST_F(TensorPictureTest, LeadingDimensionsBecomeRows) {
  const auto found = picture({0, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 1}, {2, 2, 2});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rows, 4);
  EXPECT_EQ(found->cells[3][1], 1);
}

TEST_F(TensorPictureTest, EqualTensorsHaveNone) {
  EXPECT_FALSE(picture({1, 2}, {1, 2}, {2}));
}

TEST_F(TensorPictureTest, WhatIsNotFiniteHasNoDistanceButTheSameIsEqual) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const auto found = picture({nan, nan, inf, inf}, {nan, 1, inf, -inf}, {4});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->cells[0][0], 0);
  EXPECT_TRUE(std::isnan(found->cells[0][1]));
  EXPECT_EQ(found->cells[0][2], 0);
  EXPECT_TRUE(std::isnan(found->cells[0][3]));
  EXPECT_EQ(results::to_json(*found).at("cells").at(0).at(1), "nan");
}

TEST_F(TensorPictureTest, SketchesShowThePartOfTheTensorThatDiffers) {
  std::vector<float> expected(6400, 1.0F), actual = expected;
  actual[3205] = 2;
  const auto found = picture(expected, actual, {80, 80}, false);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->estimated);
  EXPECT_EQ(found->columns, 6400);
  ASSERT_EQ(found->cells[0].size(), 64U);
  for (size_t block = 0; block < 64; ++block)
    EXPECT_EQ(found->cells[0][block] != 0, block == 32) << block;
  EXPECT_EQ(found->column_starts[32], 3200);
}

TEST_F(TensorPictureTest, ATensorSmallerThanItsBlocksHasABlockAnElement) {
  const auto found = picture({1, 2, 3}, {1, 2, 4}, {3}, false);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->column_starts, (std::vector<int64_t>{0, 1, 2}));
}

TEST_F(TensorPictureTest, OtherShapesHaveNone) {
  const trace::Trace* e = write("e", {.channels = {{"loss", std::vector<double>{1.0}}},
                                      .tensors = {{key_, std::vector<float>{1, 2}, {2, 1}}}});
  const trace::Trace* a = write("a", {.channels = {{"loss", std::vector<double>{1.0}}},
                                      .tensors = {{key_, std::vector<float>{1, 3}, {1, 2}}}});
  EXPECT_FALSE(picture_of(compare::tensor_source(*e, key_), compare::tensor_source(*a, key_)));
}

/// Through a whole suite: which checks get a picture.
class CasePicturesTest : public SuiteTest {
 protected:
  void write_tensor(const std::string& name, float last) const {
    const trace::Capture capture{
        .sketches = {{.steps = {1, 10}, .phases = {trace::Phase::grad}, .names = {"*"}}}};
    trace::Recorder recorder(
        {folder_ / "cases/topic" / (name + ".h5"), Json::object(), Json::object(), capture, 0});
    for (int64_t step = 1; step <= 10; ++step) {
      recorder.begin_step(step);
      recorder.channel("loss", falling_losses()[static_cast<size_t>(step - 1)]);
      const std::vector<float> values = {1, 2, 3, last};
      recorder.tensor(trace::Phase::grad, "wq", {DType::float32, {2, 2}, values.data()});
      recorder.end_step();
    }
    recorder.finish();
  }
};

TEST_F(CasePicturesTest, Picture_IsDrawnOnlyForFailedTensorChecks) {
  write_tensor("a", 4);
  write_tensor("b", 5);
  const std::string check =
      "[[checks]]\ntensor = \"*\"\nphase = \"grad\"\nsteps = [1, 1]\nrelation = \"identical\"\nbecause = "
      "\"t\"\n";
  const auto picture = [&](const std::string& second) {
    const Json results = run({write_case(
        "c", "[golden]\narms = []\n" + copying_arm("first", "a") + copying_arm("second", second) + check)});
    return results.at("cases").at(0).at("checks").at(0).value("picture", Json());
  };
  EXPECT_TRUE(picture("a").is_null());
  const Json found = picture("b");
  ASSERT_TRUE(found.is_object());
  EXPECT_EQ(found.at("tensor"), "wq");
  EXPECT_EQ(found.at("shape"), (Json{2, 2}));
  EXPECT_EQ(found.at("cells").at(0).size(), 4U);
}

TEST_F(CasePicturesTest, AGoldenThatNoLongerHoldsHasOne) {
  write_tensor("a", 4);
  const std::string text = "[golden]\narms = [\"first\"]\n" + copying_arm("first", "a") + losses_identical();
  std::string two_arms = text + copying_arm("second", "a");
  run({write_case("c", two_arms)}, golden::GoldenMode::create_missing);
  write_tensor("a", 5);
  const Json results = run({write_case("c", two_arms)}, golden::GoldenMode::compare, false);
  size_t pictures = 0;
  for (const Json& check : results.at("cases").at(0).at("checks"))
    if (check.contains("picture")) {
      ++pictures;
      EXPECT_EQ(check.at("kind"), "golden");
      EXPECT_EQ(check.at("picture").at("tensor"), "wq");
      EXPECT_EQ(check.at("picture").at("estimated"), true);
    }
  EXPECT_EQ(pictures, 1U);
}

}  // namespace
}  // namespace parity::suite
