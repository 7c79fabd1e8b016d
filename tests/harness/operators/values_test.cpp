// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/operators/problem/values.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/operators/problem/formula_names.hpp"

namespace parity::operators {
namespace {

std::vector<double> drawn(ValueKind kind, Point point = {{}, DType::float32}, uint64_t variation = 0) {
  Input input{"x"};
  input.tensors.push_back({});
  input.tensors.front().shape = {{100}, {32}};
  input.tensors.front().values = kind;
  return input_values(point, input, 0, variation);
}

TEST(InputValuesTest, SameAtEachCall) {
  EXPECT_EQ(drawn(ValueKind::normal), drawn(ValueKind::normal));
  EXPECT_NE(drawn(ValueKind::normal), drawn(ValueKind::normal, {{}, DType::float32}, 1));
}

TEST(InputValuesTest, KnownNumbers) {
  const std::vector<double> values = drawn(ValueKind::normal, {{}, DType::float64});
  double sum = 0, squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / 3200, 0, 0.06);
  EXPECT_NEAR(squares / 3200, 1, 0.1);
}

TEST(InputValuesTest, RoundedToTheDtype) {
  const auto wide = drawn(ValueKind::lognormal, {{}, DType::float64});
  const auto narrow = drawn(ValueKind::lognormal, {{}, DType::bfloat16});
  for (size_t i = 0; i < wide.size(); ++i)
    EXPECT_EQ(narrow[i], rounded(DType::bfloat16, wide[i]));
  EXPECT_EQ(rounded(DType::bfloat16, 1 + 0x1p-9), 1);
  EXPECT_EQ(rounded(DType::float16, 65519), 65504);
  // By way of the nearest float32, these would be ties.
  EXPECT_EQ(rounded(DType::bfloat16, 1 + 0x1p-8 + 0x1p-40), 1 + 0x1p-7);
  EXPECT_EQ(rounded(DType::float16, 1 + 3 * 0x1p-11 - 0x1p-40), 1 + 0x1p-10);
}

TEST(InputValuesTest, KindsAreWhatTheySay) {
  const auto hot = drawn(ValueKind::one_hot);
  for (size_t row = 0; row < 100; ++row)
    EXPECT_EQ(std::accumulate(hot.begin() + row * 32, hot.begin() + row * 32 + 32, 0.0), 1);
  const auto cancelling = drawn(ValueKind::cancelling, {{}, DType::float64});
  for (size_t i = 0; i + 1 < cancelling.size(); i += 2)
    EXPECT_LT(std::fabs(cancelling[i] + cancelling[i + 1]), 6);
  EXPECT_TRUE(
      std::ranges::all_of(drawn(ValueKind::denormal), [](double x) { return std::fabs(x) < 0x1p-124; }));
  EXPECT_TRUE(std::ranges::any_of(drawn(ValueKind::denormal), [](double x) { return x != 0; }));
  const auto tailed = drawn(ValueKind::heavy_tailed);
  EXPECT_GT(*std::ranges::max_element(tailed), 20);
  for (const double value : drawn(ValueKind::integers)) {
    EXPECT_EQ(value, std::round(value));
    EXPECT_GE(value, -8);
    EXPECT_LT(value, 9);
  }
  for (const double value : drawn(ValueKind::uniform))
    EXPECT_LE(std::fabs(value), 1);
}

}  // namespace
}  // namespace parity::operators
