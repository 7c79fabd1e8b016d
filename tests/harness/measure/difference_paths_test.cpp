// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// measure_difference takes a shorter path if the sides of a block are close or equal, and looks for the
// largest quotient only where a bound allows one. Each path must give the result of a plain loop.
#include <cmath>

#include <gtest/gtest.h>

#include "harness/measure/difference/measure_difference.hpp"
#include "tests/support/special_values.hpp"
#include "tests/support/traces/samples.hpp"

namespace parity::measure {
namespace {

/// Bits of any width.
void put_bits(Sample& sample, size_t i, uint64_t bits) {
  std::memcpy(sample.bytes.data() + i * size_of(sample.view.dtype), &bits, size_of(sample.view.dtype));
}
uint64_t bits_of(const Sample& sample, size_t i) {
  uint64_t bits = 0;
  std::memcpy(&bits, sample.bytes.data() + i * size_of(sample.view.dtype), size_of(sample.view.dtype));
  return bits;
}
uint64_t sign_of(DType dtype) {
  return uint64_t{1} << (8 * size_of(dtype) - 1);
}

/// The result of a plain loop over elements.
struct Plain {
  double needed_rtol = 0, max_abs_error = 0;
  int64_t worst = -1, differing = 0;

  Plain(const Sample& e, const Sample& a) {
    for (int64_t i = 0; i < e.view.size(); ++i) {
      const auto at = static_cast<size_t>(i);
      const double error = std::fabs(a.value(at) - e.value(at));
      differing += bits_of(e, at) != bits_of(a, at);
      if (error > 0)
        needed_rtol = std::max(needed_rtol, error / std::fabs(e.value(at)));
      if (error > max_abs_error) {
        max_abs_error = error;
        worst = i;
      }
    }
  }
};

void expect_plain(const Sample& e, const Sample& a, const std::string& what) {
  const Plain plain(e, a);
  const Difference found = measure_difference(e.view, a.view);
  EXPECT_EQ(found.needed_rtol, plain.needed_rtol) << what;
  EXPECT_EQ(found.max_abs_error, plain.max_abs_error) << what;
  EXPECT_EQ(found.differing, plain.differing) << what;
  if (plain.worst >= 0) {
    EXPECT_EQ(found.worst_index, plain.worst) << what;
  }
}

class DifferencePathsTest : public testing::TestWithParam<DType> {
 protected:
  const DType dtype_ = GetParam();
  bool floating() const { return is_floating(dtype_); }
};
INSTANTIATE_TEST_SUITE_P(Dtypes, DifferencePathsTest, testing::ValuesIn(all_dtypes()),
                         [](const auto& row) { return std::string(name_of(row.param)); });
class FloatPathsTest : public DifferencePathsTest {};
INSTANTIATE_TEST_SUITE_P(Floats, FloatPathsTest,
                         testing::Values(DType::float64, DType::float32, DType::bfloat16, DType::float16,
                                         DType::float8_e4m3fn, DType::float8_e5m2),
                         [](const auto& row) { return std::string(name_of(row.param)); });

TEST_P(DifferencePathsTest, StepsAddUpExactlyAroundWhatALaneHolds) {
  const size_t size = size_of(dtype_), count = 4096;
  // Every fourth element is lower, on either side of zero, so that each lane has one direction.
  const uint64_t additions = size == 8 ? 2048 : 16 * size, last = (sign_of(dtype_) - 1) / additions;
  for (const uint64_t steps : {uint64_t{1}, last - 1, last, last + 1, 2 * last, 2 * last + 1, 4 * last}) {
    if (dtype_ == DType::bool8 && steps > 1)
      break;
    Sample e(dtype_, std::vector<double>(count, 0.0)), a = e;
    for (size_t i = 0; i < count; ++i) {
      const bool lower = i % 4 == 3, minus = floating() && i % 2 == 1;
      put_bits(lower != minus ? a : e, i, minus ? sign_of(dtype_) : 0);
      put_bits(lower != minus ? e : a, i, steps | (minus ? sign_of(dtype_) : 0));
    }
    const Difference found = measure_difference(e.view, a.view);
    EXPECT_EQ(found.max_ulp, steps);
    EXPECT_EQ(found.mean_ulp, static_cast<double>(steps));
    EXPECT_EQ(found.bias_ulp, static_cast<double>(steps) / 2);
  }
}

TEST_P(DifferencePathsTest, ElementOfOtherSign_IsCountedAmongCloseOnes) {
  const size_t count = 2048 + 64;
  Sample e(dtype_, random_values(count)), a = e;
  a.next(3);
  const uint64_t sign = sign_of(dtype_), all = sign | (sign - 1);
  put_bits(e, 1500, floating() ? 2 : dtype_ == DType::uint8 ? all : dtype_ == DType::bool8 ? 1 : sign - 1);
  put_bits(a, 1500, floating() ? sign | 3 : dtype_ == DType::uint8 || dtype_ == DType::bool8 ? 0 : sign);
  const Difference found = measure_difference(e.view, a.view);
  const uint64_t steps = floating() ? 5 : dtype_ == DType::bool8 ? 1 : all;
  EXPECT_EQ(found.differing, 2);
  EXPECT_EQ(found.max_ulp, steps);
  EXPECT_EQ(found.mean_ulp, (1 + static_cast<double>(steps)) / count);
  const double rise = dtype_ == DType::bool8 && e.get<uint8_t>(3) != 0 ? -1 : 1;
  EXPECT_EQ(found.bias_ulp, (rise - static_cast<double>(steps)) / count);
}

TEST_P(DifferencePathsTest, BlocksWithTheSameBitsCountBesideOthers) {
  const size_t count = 6 * 1024 + 300;
  std::vector<double> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<double>(i % 2);
  const Sample e(dtype_, values);
  for (size_t i = 0; i < count; ++i)
    if (i / 1024 % 2 == 1)
      values[i] = 1;
  const Sample a(dtype_, values);
  const Difference found = measure_difference(e.view, a.view);
  EXPECT_EQ(found.differing, 3 * 512);
  EXPECT_EQ(found.l2_error, std::sqrt(3 * 512));
  EXPECT_EQ(found.expected_norm, std::sqrt(count / 2));
  EXPECT_EQ(found.cosine, 3222 / std::sqrt(3222.0) / std::sqrt(3222.0 + 3 * 512));
  EXPECT_EQ(found.relative_linf, 1);
  EXPECT_EQ(found.worst_index, 1024);
}

TEST_P(FloatPathsTest, ANanInBlocksOfTheSameBitsIsSeen) {
  Sample e(dtype_, random_values(4096));
  put_bits(e, 2050, ~uint64_t{0});
  const Sample a = e;
  const Difference found = measure_difference(e.view, a.view);
  EXPECT_EQ(found.differing, 1);
  EXPECT_EQ(found.expected_nan, 1);
  EXPECT_EQ(found.worst_index, 2050);
}

TEST_P(FloatPathsTest, WhatFollowsTheLargestNumberIsNoNumber) {
  const double most = dtype_ == DType::float64         ? std::numeric_limits<double>::max()
                      : dtype_ == DType::bfloat16      ? 0x1.FEp127
                      : dtype_ == DType::float16       ? 65504
                      : dtype_ == DType::float8_e4m3fn ? 448
                      : dtype_ == DType::float8_e5m2   ? 57344
                                                       : std::numeric_limits<float>::max();
  for (const bool other_way : {false, true}) {
    Sample e(dtype_, random_values(3000)), a = e;
    e.set(1100, most);
    a.set(1100, most);
    (other_way ? e : a).next(1100);
    const Difference found = measure_difference(e.view, a.view);
    EXPECT_EQ(found.differing, 1);
    EXPECT_EQ(found.worst_index, 1100);
    const bool to_nan = dtype_ == DType::float8_e4m3fn;
    EXPECT_EQ(found.actual_nan + found.expected_nan, to_nan);
    EXPECT_EQ(found.actual_inf + found.expected_inf, !to_nan);
    EXPECT_FALSE(found.max_abs_error <= 1e300);
  }
}

TEST_P(FloatPathsTest, TheLargestQuotientIsFoundOfEverySize) {
  const size_t count = 8 * 1024 + 100;
  std::mt19937 random(11);
  for (const int exponent : {0, -12, -16, -120, -126, -135, -140, 100}) {
    for (const unsigned steps : {2U, 5U, 40U}) {
      std::vector<double> values = random_values(count, steps);
      for (double& value : values)
        value = std::ldexp(value, dtype_ == DType::float64 ? 8 * exponent : exponent);
      Sample expected(dtype_, values), actual = expected;
      for (size_t i = 0; i < count; ++i) {
        if (!std::isfinite(expected.value(i)))
          put_bits(expected, i, 1);
        put_bits(actual, i, bits_of(expected, i));
        // Blocks get better and worse: known results must not hide anything.
        for (auto s = random() % (1 + steps * (1 + i / 1024 % 3)); s > 0; --s)
          actual.next(i);
        if (!std::isfinite(actual.value(i)))
          put_bits(actual, i, bits_of(expected, i));
      }
      expect_plain(expected, actual, "2^" + std::to_string(exponent) + ", steps " + std::to_string(steps));
    }
  }
}

TEST_P(FloatPathsTest, LargestQuotient_FoundWithoutMostStepsOrError) {
  Sample e(dtype_, std::vector<double>(5000, 1.75)), a = e;
  for (size_t i = 0; i < 5000; ++i)
    a.next(i);
  e.set(4113, 1);  // as many steps as all have, but of a smaller number
  a.set(4113, 1);
  a.next(4113);
  e.set(4200, 4);  // the largest error
  a.set(4200, 4);
  a.next(4200);
  expect_plain(e, a, "one step");
  const double ulp = a.value(4113) - 1;
  EXPECT_EQ(measure_difference(e.view, a.view).needed_rtol, ulp);
}

TEST_P(FloatPathsTest, AQuotientThatIsHardlyLargerIsFound) {
  constexpr size_t blocks = 6;
  Sample e(dtype_, std::vector<double>(blocks * 1024, 1)), a = e;
  for (size_t i = 0; i < blocks * 1024; ++i) {
    put_bits(e, i, bits_of(e, i) + blocks - 1 - i / 1024);  // one step nearer to 1 in each block
    put_bits(a, i, bits_of(e, i) + 1);
  }
  expect_plain(e, a, "one step from ever smaller numbers");
  EXPECT_EQ(measure_difference(e.view, a.view).needed_rtol, a.value(blocks * 1024 - 1) - 1);
}

TEST_P(FloatPathsTest, StepsOverAPowerOfTwoCountTwice) {
  for (const uint64_t steps : {2, 3, 8, 33, 1000}) {
    Sample e(dtype_, std::vector<double>(2048, 1)), a = e;
    const Sample two(dtype_, {2});
    put_bits(a, 3, bits_of(e, 3) + steps - 1);  // of 1: steps - 1
    put_bits(e, 1500, bits_of(two, 0) - 1);     // of nearly 2: steps - 1/2
    put_bits(a, 1500, bits_of(two, 0) - 1 + steps);
    if (a.value(3) < 1.5)
      expect_plain(e, a, std::to_string(steps) + " steps");
  }
}

TEST_P(FloatPathsTest, StepsInUpperBinade_AreRelativeToTheNumber) {
  Sample e(dtype_, std::vector<double>(3072, 1)), a = e;
  e.set(1500, 1.5);
  if (size_of(dtype_) > 1) {
    put_bits(a, 3, bits_of(e, 3) + 5);
    put_bits(a, 1500, bits_of(e, 1500) + 9);  // 9 / 1.5 is 6
    expect_plain(e, a, "few steps");
  }
  a.set(3, 1.75);  // by 0.75
  a.set(1500, 3);  // by 1, a whole binade away
  expect_plain(e, a, "many steps");
  EXPECT_EQ(measure_difference(e.view, a.view).needed_rtol, 1);
}

TEST_P(DifferencePathsTest, AZeroReferenceInALaterBlockIsInfinitelyFar) {
  Sample e(dtype_, std::vector<double>(4096, 1)), a = e;
  a.next(5);
  if (dtype_ != DType::bool8)
    a.next(3000);
  e.set(4000, 0);
  EXPECT_EQ(measure_difference(e.view, a.view).needed_rtol, inf);
}

}  // namespace
}  // namespace parity::measure
