// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/tensors/factor.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/support/traces/samples.hpp"

namespace parity::compare {
namespace {

const std::vector<double> numbers = {1.1, -2.3, 0, 0.007, 512.9, -1e-3};

std::vector<double> times(double factor, std::vector<double> values = numbers) {
  for (double& value : values)
    value *= factor;
  return values;
}

/// The factor between two tensors whose elements are the nearest of this dtype.
std::optional<TensorFactor> factor_of(DType dtype, const std::vector<double>& expected,
                                      const std::vector<double>& actual) {
  const Sample e(dtype, expected), a(dtype, actual);
  return find_factor(e.view, a.view);
}

TEST(TensorFactorTest, PowersOfTwo_AreExact) {
  for (const double factor : {-1.0, 0.5, -0.5, 2.0, 0x1p-10, -0x1p6})
    for (const DType dtype : {DType::float64, DType::float32, DType::bfloat16}) {
      const auto found = factor_of(dtype, numbers, times(factor));
      ASSERT_TRUE(found) << factor;
      EXPECT_EQ(found->value, factor);
      EXPECT_TRUE(found->exact);
      EXPECT_EQ(found->elements, 5);
    }
}

TEST(TensorFactorTest, OtherFactors_HoldWithinRounding) {
  for (const double factor : {3.0, 1.0 / 3, 1.001, -0.7, 1 + 1e-6}) {
    const auto found = factor_of(DType::float32, numbers, times(factor));
    ASSERT_TRUE(found) << factor;
    EXPECT_NEAR(found->value / factor, 1, 1e-7);
    EXPECT_FALSE(found->exact);
  }
  EXPECT_EQ(factor_of(DType::float32, numbers, times(3))->value, 3);
  EXPECT_EQ(factor_of(DType::float32, numbers, times(1.0 / 3))->value, 1.0 / 3);
}

TEST(TensorFactorTest, Rounding_IsNoFactor) {
  EXPECT_FALSE(factor_of(DType::float32, numbers, numbers));
  EXPECT_FALSE(factor_of(DType::float32, numbers, times(1 + 1e-7)));
  EXPECT_FALSE(factor_of(DType::bfloat16, numbers, times(1.01)));
}

TEST(TensorFactorTest, OneElementOff_IsNoFactor) {
  for (const double factor : {0.5, 1.001}) {
    std::vector<double> off = times(factor);
    off[1] *= 1 + 1e-5;
    EXPECT_FALSE(factor_of(DType::float32, numbers, off)) << factor;
  }
  std::vector<double> filled = times(2);
  filled[2] = 1;  // where zero was expected
  EXPECT_FALSE(factor_of(DType::float32, numbers, filled));
}

TEST(TensorFactorTest, OnlyElementsThatDifferCount) {
  std::vector<double> some = numbers;
  some[0] *= -1;
  const auto sign = factor_of(DType::float32, numbers, some);
  ASSERT_TRUE(sign);
  EXPECT_EQ(sign->value, -1);
  EXPECT_EQ(sign->elements, 1);
  some = numbers;
  for (const double factor : {1.001, 2.0}) {
    some[0] = numbers[0] * factor;
    EXPECT_FALSE(factor_of(DType::float32, numbers, some)) << "any two numbers have a ratio";
  }
}

TEST(TensorFactorTest, Zeros_AreNamed) {
  const auto found = factor_of(DType::float32, numbers, times(0));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->value, 0);
  EXPECT_TRUE(found->exact);
  EXPECT_EQ(found->text(), "zero");
  EXPECT_FALSE(factor_of(DType::float32, times(0), numbers));
}

TEST(TensorFactorTest, SubnormalProducts_MayLoseDigits) {
  const std::vector<double> tiny = {0x1p-126 * 1.1, 3.0, -5.5};
  const auto found = factor_of(DType::float32, tiny, times(0x1p-20, tiny));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->value, 0x1p-20);
}

TEST(TensorFactorTest, Noise_IsNotCounted) {
  std::vector<double> noisy = times(0.5);
  noisy[1] += 1e-12;
  const Sample e(DType::float64, numbers), a(DType::float64, noisy);
  EXPECT_FALSE(find_factor(e.view, a.view));
  const auto found = find_factor(e.view, a.view, 1e-10);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->value, 0.5);
  EXPECT_FALSE(found->exact);
  const Sample same(DType::float64, times(1 + 1e-12));
  EXPECT_FALSE(find_factor(e.view, same.view, 1e-10));
}

TEST(TensorFactorTest, WhatIsNotFinite_HasNoFactor) {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  for (const double bad : {nan, inf}) {
    std::vector<double> values = times(2);
    values[4] = bad;
    EXPECT_FALSE(factor_of(DType::float32, numbers, values));
    EXPECT_FALSE(factor_of(DType::float32, values, times(2)));
  }
  EXPECT_FALSE(factor_of(DType::float32, {}, {}));
  EXPECT_FALSE(factor_of(DType::int64, {1, 2, 3}, {2, 4, 6}));
}

TEST(TensorFactorTest, OtherShapesOrDtypes_HaveNoFactor) {
  const Sample e(DType::float32, numbers), wide(DType::float64, times(2)), less(DType::float32, {2, 4});
  EXPECT_FALSE(find_factor(e.view, wide.view));
  EXPECT_FALSE(find_factor(e.view, less.view));
}

TEST(TensorFactorTest, Text_StandsBeforeTheExpectedSide) {
  EXPECT_EQ((TensorFactor{-1, true, 4}).text(), "-1 times");
  EXPECT_EQ((TensorFactor{0.5, true, 4}).text(), "0.5 times");
  EXPECT_EQ((TensorFactor{1.0 / 3, false, 4}).text(), "1/3 of");
  EXPECT_EQ((TensorFactor{1.001, false, 4}).text(), "1.001 times");
}

}  // namespace
}  // namespace parity::compare
