// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernels that compare two tensors, run on the host, against the CPU's pass.
#include "harness/measure/cuda/measure_difference.hpp"

#include <limits>

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/measure/difference/measure_difference.hpp"
#include "tests/support/devices/emulated_gpu.hpp"
#include "tests/support/odd_values.hpp"
#include "tests/support/special_values.hpp"
#include "tests/support/traces/measured_bits.hpp"
#include "tests/support/traces/samples.hpp"

namespace parity::measure::cuda {
namespace {

/// The CPU's bits, whichever thread and block comes first.
void expect_the_cpus_bits(const Sample& expected, const Sample& actual) {
  const auto bits = bits_of(measure_difference(expected.view, actual.view));
  for (const bool backward : {false, true}) {
    EmulatedGpu gpu(backward);
    EXPECT_EQ(bits_of(measure_difference_on(gpu, expected.view, actual.view)), bits)
        << name_of(expected.view.dtype) << " " << expected.view.size() << (backward ? ", backward" : "");
  }
}

/// `sample` with every n-th element one step on.
Sample moved(Sample sample, size_t n) {
  for (size_t i = n / 2; i < static_cast<size_t>(sample.view.size()); i += n)
    sample.next(i);
  return sample;
}

class DifferenceKernelTest : public testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(Dtypes, DifferenceKernelTest, testing::ValuesIn(all_dtypes()),
                         [](const auto& row) { return std::string(name_of(row.param)); });

TEST_P(DifferenceKernelTest, HasTheCpusBitsForEverySize) {
  // Around lanes, blocks of sums, and blocks of threads; the last is of two stretches.
  for (const size_t count : {1U, 7U, 8U, 9U, 1023U, 1024U, 1025U, 4099U, 16385U, 262145U}) {
    const Sample one(GetParam(), random_values(count, 1)), other(GetParam(), random_values(count, 2));
    expect_the_cpus_bits(one, other);
    expect_the_cpus_bits(one, one);
    expect_the_cpus_bits(one, moved(one, 700));
  }
}

TEST_P(DifferenceKernelTest, HasTheCpusBitsForEveryBitPattern) {
  for (const size_t count : {5U, 1500U, 70001U})
    for (const unsigned seed : {2U, 3U})
      expect_the_cpus_bits(random_bits(GetParam(), count), random_bits(GetParam(), count, seed));
}

TEST_P(DifferenceKernelTest, OfNothingIsNothing) {
  expect_the_cpus_bits(Sample(GetParam(), {}), Sample(GetParam(), {}));
}

TEST(MeasureDifferenceOnTest, WhatIsNotFiniteIsCountedWhereItIs) {
  for (const DType dtype : {DType::float64, DType::float32, DType::bfloat16, DType::float16})
    for (const size_t at : {0U, 1023U, 1024U, 4998U})
      for (const double odd : {nan, inf, -inf, -0.0, 0.0})
        for (const double other : {odd, -inf, 1.0, 0.0}) {
          const Sample base(dtype, random_values(5000));
          Sample expected = base, actual = base;
          expected.set(at, odd);
          actual.set(at, other);
          expect_the_cpus_bits(expected, actual);
          expect_the_cpus_bits(expected, moved(actual, 900));
        }
}

TEST(MeasureDifferenceOnTest, SumsThatOverflowAndIntegersThatNoDoubleHolds) {
  const double most = std::numeric_limits<double>::max();
  std::vector<double> values(3000, most);
  const Sample huge(DType::float64, values);
  values[2000] = -most;
  expect_the_cpus_bits(huge, Sample(DType::float64, values));
  Sample large(DType::int64, random_values(3000));
  large.put(1500, std::numeric_limits<int64_t>::min());
  large.put(1501, std::numeric_limits<int64_t>::max());
  large.put(1502, (int64_t{1} << 53) + 1);
  expect_the_cpus_bits(large, moved(large, 3));
}

TEST(MeasureDifferenceOnTest, TensorsThatCannotAlignAreRefused) {
  EmulatedGpu gpu;
  const Sample three(DType::float32, {1, 2, 3}), two(DType::float32, {1, 2}), other(DType::int32, {1, 2});
  EXPECT_THROW(measure_difference_on(gpu, three.view, two.view), UserError);
  EXPECT_THROW(measure_difference_on(gpu, two.view, other.view), UserError);
}

TEST(MeasureDifferenceOnTest, LittleComesToTheHostWhateverTheSize) {
  for (const size_t count : {100U, 100000U}) {
    EmulatedGpu gpu;
    measure_difference_on(gpu, Sample(DType::float32, random_values(count)).view,
                          Sample(DType::float32, random_values(count, 2)).view);
    EXPECT_LE(gpu.downloaded(), 200);
  }
}

}  // namespace
}  // namespace parity::measure::cuda
