// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/tensor/statistics.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/support/special_values.hpp"
#include "tests/support/traces/samples.hpp"

namespace parity::measure {
namespace {

class StatisticsTest : public testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(Dtypes, StatisticsTest, testing::ValuesIn(all_dtypes()),
                         [](const auto& row) { return std::string(name_of(row.param)); });

TEST_P(StatisticsTest, NormAndLargestOfSmallValuesAreExact) {
  const Statistics found = statistics_of(Sample(GetParam(), {1, 0, 1, 1, 0, 1}).view);
  EXPECT_EQ(found.norm, 2);
  EXPECT_EQ(found.max_abs, 1);
  EXPECT_EQ(found.nan_count + found.inf_count, 0);
}

TEST_P(StatisticsTest, NormOfManyBlocksIsThatOfTheSquares) {
  const Sample sample(GetParam(), random_values(5000));
  long double squares = 0;
  double most = 0;
  for (size_t i = 0; i < 5000; ++i) {
    squares += static_cast<long double>(sample.value(i)) * sample.value(i);
    most = std::max(most, std::fabs(sample.value(i)));
  }
  const Statistics found = statistics_of(sample.view);
  // Bound of a sum of 5000 terms in float64: n u relative, halved by the root.
  EXPECT_NEAR(found.norm, static_cast<double>(std::sqrt(squares)), 5000 * 0x1p-53 * found.norm);
  EXPECT_EQ(found.max_abs, most);
}

TEST(StatisticsOfTest, NanAndInfinityAreCountedAndLeftOutOfTheNorm) {
  for (const DType dtype : {DType::float64, DType::float32, DType::bfloat16, DType::float16}) {
    const Statistics found = statistics_of(Sample(dtype, {3, nan, -4, inf, -inf, nan, nan}).view);
    EXPECT_EQ(found.nan_count, 3);
    EXPECT_EQ(found.inf_count, 2);
    EXPECT_EQ(found.norm, 5);
    EXPECT_EQ(found.max_abs, 4);
  }
}

TEST(StatisticsOfTest, EmptyAndAllNanAreZero) {
  EXPECT_EQ(statistics_of({DType::float32, {0, 4}, nullptr}).norm, 0);
  const Statistics found = statistics_of(Sample(DType::float32, {nan, nan}).view);
  EXPECT_EQ(found.norm, 0);
  EXPECT_EQ(found.max_abs, 0);
}

TEST(StatisticsOfTest, HugeAndSubnormalDoublesKeepTheirNorm) {
  EXPECT_EQ(statistics_of(Sample(DType::float64, {3e300, 4e300}).view).norm, 5e300);
  EXPECT_EQ(statistics_of(Sample(DType::float64, {3 * 0x1p-1070, 4 * 0x1p-1070}).view).norm, 5 * 0x1p-1070);
  EXPECT_EQ(statistics_of(Sample(DType::float64, {3e300, -4e300, nan}).view).norm, 5e300);
}

TEST(StatisticsOfTest, SubnormalFloatsCount) {
  EXPECT_EQ(statistics_of(Sample(DType::float32, {3 * 0x1p-149, 4 * 0x1p-149}).view).norm, 5 * 0x1p-149);
}

}  // namespace
}  // namespace parity::measure
