// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/tensor/sketch.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include <gmock/gmock.h>

#include "tests/support/traces/samples.hpp"

namespace parity::measure {
namespace {

using testing::Each;

class SketchTest : public testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(Dtypes, SketchTest, testing::ValuesIn(all_dtypes()),
                         [](const auto& row) { return std::string(name_of(row.param)); });

TEST_P(SketchTest, ContiguousPartsAddUpToTheWhole) {
  const int64_t n = 1000;
  const Sample whole(GetParam(), random_values(n));
  const auto expected = sketch_of(whole.view);
  for (const int64_t cut : {1, 64, 500, 999}) {
    const auto front = sketch_of({GetParam(), {cut}, whole.bytes.data()}, 0, n);
    const auto back = sketch_of(
        {GetParam(), {n - cut}, whole.bytes.data() + static_cast<size_t>(cut) * size_of(GetParam())}, cut, n);
    for (size_t b = 0; b < expected.size(); ++b)
      // 16 terms of at most 256 in another order: within 16 roundings of a sum below 4096.
      EXPECT_NEAR(front[b] + back[b], expected[b], 16 * 4096 * 0x1p-53);
  }
}

TEST_P(SketchTest, OneChangedElementMovesItsBlockOnly) {
  const Sample one(GetParam(), random_values(1000));
  for (const size_t i : {size_t{0}, size_t{63}, size_t{64}, size_t{511}, size_t{999}}) {
    Sample other = one;
    other.set(i, one.value(i) == 1 ? 0 : 1);
    const auto before = sketch_of(one.view), after = sketch_of(other.view);
    for (size_t b = 0; b < before.size(); ++b)
      EXPECT_EQ(before[b] != after[b],
                static_cast<int64_t>(b) == sketch_block(static_cast<int64_t>(i), 1000));
  }
}

TEST(SketchOfTest, FewerElementsThanBlocksEachHaveTheirOwn) {
  const auto sums = sketch_of(Sample(DType::float32, {1, 2, 4}).view);
  ASSERT_EQ(sums.size(), 64);
  EXPECT_EQ(std::fabs(sums[0]), 1);
  EXPECT_EQ(std::fabs(sums[21]), 2);
  EXPECT_EQ(std::fabs(sums[42]), 4);
  EXPECT_EQ(
      std::accumulate(sums.begin(), sums.end(), 0.0, [](double a, double b) { return a + std::fabs(b); }), 7);
}

TEST(SketchOfTest, EmptyIsAllZero) {
  EXPECT_THAT(sketch_of({DType::float64, {0}, nullptr}), Each(0.0));
}

TEST(SketchOfTest, NanAndInfinityCountAsZero) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(sketch_of(Sample(DType::float32, {1, nan, -inf, 4}).view),
            sketch_of(Sample(DType::float32, {1, 0, 0, 4}).view));
}

TEST(SketchOfTest, EstimatesTheDistanceOfTwoTensors) {
  auto values = random_values(100000);
  const Sample one(DType::float64, values);
  std::mt19937 random(3);
  double squares = 0;
  for (double& value : values) {
    const double delta = uniform(random) - 0.5;
    value += delta;
    squares += delta * delta;
  }
  const auto a = sketch_of(one.view), b = sketch_of(Sample(DType::float64, values).view);
  double estimate = 0;
  for (size_t k = 0; k < a.size(); ++k)
    estimate += (a[k] - b[k]) * (a[k] - b[k]);
  // Relative standard deviation sqrt(2/64) = 0.18; the sample is fixed, so four of them cannot flake.
  EXPECT_NEAR(estimate / squares, 1, 4 * std::sqrt(2.0 / 64));
}

TEST(SketchOfTest, SwappedElementsOfABlockMoveIt) {
  // A plain block sum would not see this.
  std::vector<double> values = random_values(64 * 64);
  const auto before = sketch_of(Sample(DType::float64, values).view);
  std::reverse(values.begin(), values.begin() + 64);
  EXPECT_NE(sketch_of(Sample(DType::float64, values).view)[0], before[0]);
}

}  // namespace
}  // namespace parity::measure
