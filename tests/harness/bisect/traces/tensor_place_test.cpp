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

TEST_F(TensorPlaceTest, ConstantFactor_IsNamed) {
  const auto half = place({1, -2, 3, 5}, {0.5, -1, 1.5, 2.5}, {4});
  ASSERT_TRUE(half && half->factor);
  EXPECT_EQ(half->to_json().at("factor"), 0.5);
  EXPECT_EQ(half->short_text(), "4 of 4 elements, each is 0.5 times the expected one");
  EXPECT_THAT(half->describe("good", "bad"), testing::EndsWith("; each is 0.5 times good's"));
  const auto sign = place({1, -2, 3, 5}, {1, 2, 3, 5}, {4});
  EXPECT_EQ(sign->to_json().at("factor"), -1.0);
  EXPECT_EQ(sign->short_text(), "1 of 4 elements, it is -1 times the expected one, most at [1]");
  EXPECT_TRUE(place({1, -2, 3, 5}, {1, 2, 3.5, 5}, {4})->to_json().at("factor").is_null());
  EXPECT_FALSE(place({1, 2, 3}, {1, 2, std::nanf("")}, {3})->factor);
}

TEST_F(TensorPlaceTest, Integers_HaveNoUlps) {
  const auto record = [this](const std::string& file, int64_t token) {
    trace::Recorder recorder(options(file));
    recorder.begin_step(1);
    const std::vector<int64_t> tokens = {7, 8, token};
    recorder.tensor(trace::Phase::input, "tokens", view_of(DType::int64, tokens, {1, 3}));
    recorder.end_step();
    recorder.finish();
    return trace::Trace::open(folder / file);
  };
  const auto found = find_place(record("a.h5", 9), record("b.h5", 12), {1, trace::Phase::input, "tokens"});
  ASSERT_TRUE(found);
  EXPECT_THAT(found->describe("good", "bad"), testing::Not(testing::HasSubstr("ULP")));
  EXPECT_FALSE(found->to_json().at("measured").contains("max_ulp"));
  EXPECT_THAT(place({1, 2}, {1, std::nextafter(2.0F, 3.0F)}, {2})->describe("good", "bad"),
              testing::HasSubstr("at most 1 ULP"));
}

TEST_F(TensorPlaceTest, HasNoPictureOfTheSame) {
  const std::vector<float> values(16, 1);
  const auto found = place(values, values, {4, 4});
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->to_json().at("picture").is_null());
}

}  // namespace
}  // namespace parity::bisect
