// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/traces/tensor_place.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "tests/support/traces/recorded.hpp"
#include "tests/support/traces/samples.hpp"

namespace parity::bisect {
namespace {

const trace::TensorKey key = {1, trace::Phase::grad, "wq"};

class TensorPlaceTest : public RecordedTest {
 protected:
  trace::Trace trace(const std::string& file, const std::vector<float>& values, const Shape& shape) const {
    trace::Recorder recorder(options(file));
    recorder.begin_step(1);
    recorder.tensor(trace::Phase::grad, "wq", view_of(DType::float32, values, shape));
    recorder.end_step();
    recorder.finish();
    return trace::Trace::open(folder / file);
  }
  std::optional<TensorPlace> place(const std::vector<float>& expected, const std::vector<float>& actual,
                                   const Shape& shape) const {
    return find_place(trace("expected.h5", expected, shape), trace("actual.h5", actual, shape), key);
  }
};

TEST_F(TensorPlaceTest, WritesAnElementThatIsNoNumberAsOne) {
  const auto found = place({1, 2, 3}, {1, 2, std::nanf("")}, {3});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->to_json().at("expected"), 3.0);
  EXPECT_EQ(found->to_json().at("actual"), "nan");
}

TEST_F(TensorPlaceTest, FourByFour_IsDrawnElementByElement) {
  std::vector<float> expected(16, 1), actual(16, 1);
  actual[1] = 1.5F;    // [0, 1]
  actual[11] = 0.75F;  // [2, 3]
  const auto found = place(expected, actual, {4, 4});
  ASSERT_TRUE(found);
  EXPECT_EQ(
      found->to_json().at("picture"),
      Json({{"step", 1},
            {"phase", "grad"},
            {"tensor", "wq"},
            {"shape", {4, 4}},
            {"estimated", false},
            {"rows", 4},
            {"columns", 4},
            {"row_starts", {0, 1, 2, 3}},
            {"column_starts", {0, 1, 2, 3}},
            {"cells",
             {{0.0, 0.5, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.25}, {0.0, 0.0, 0.0, 0.0}}}}));
}

TEST_F(TensorPlaceTest, Blocks_MergeLeadingDimensionsTakeLargest) {
  const Shape shape = {2, 48, 128};  // 96 rows and 128 columns: blocks of 2 by 2
  std::vector<float> expected(size_t{2} * 48 * 128, 0), actual = expected;
  const auto at = [](size_t i, size_t j, size_t k) { return (i * 48 + j) * 128 + k; };
  actual[at(1, 2, 7)] = 2;   // row 50
  actual[at(1, 3, 6)] = -3;  // row 51: the same block
  const auto found = place(expected, actual, shape);
  ASSERT_TRUE(found && found->picture);
  const results::TensorPicture& picture = *found->picture;
  EXPECT_EQ(picture.rows, 96);
  EXPECT_EQ(picture.columns, 128);
  ASSERT_EQ(picture.cells.size(), 48U);
  ASSERT_EQ(picture.cells[25].size(), 64U);
  EXPECT_EQ(picture.row_starts[25], 50);
  EXPECT_EQ(picture.column_starts[3], 6);
  EXPECT_EQ(picture.cells[25][3], 3);
  double sum = 0;
  for (const auto& row : picture.cells)
    for (const double cell : row)
      sum += cell;
  EXPECT_EQ(sum, 3) << "no other block differs";
}

TEST_F(TensorPlaceTest, HasNoPictureOfTheSame) {
  const std::vector<float> values(16, 1);
  const auto found = place(values, values, {4, 4});
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->to_json().at("picture").is_null());
}

}  // namespace
}  // namespace parity::bisect
