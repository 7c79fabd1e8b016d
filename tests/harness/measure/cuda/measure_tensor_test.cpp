// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernels of a GPU, run on the host block by block and thread by thread, against the CPU's passes.
#include "harness/measure/cuda/measure_tensor.hpp"

#include <limits>

#include <gmock/gmock.h>

#include "tests/support/devices/emulated_gpu.hpp"
#include "tests/support/odd_values.hpp"
#include "tests/support/special_values.hpp"
#include "tests/support/traces/measured_bits.hpp"
#include "tests/support/traces/samples.hpp"

namespace parity::measure::cuda {
namespace {

/// The CPU's bits, whichever thread and block comes first.
void expect_tensor_bits(const TensorView& view, const TensorLayout& layout = {}) {
  const auto expected = bits_of(measure_tensor(view, layout));
  for (const bool backward : {false, true}) {
    EmulatedGpu gpu(backward);
    EXPECT_EQ(bits_of(measure_tensor_on(gpu, view, layout)), expected)
        << name_of(view.dtype) << " " << parity::to_string(view.shape) << (backward ? ", backward" : "");
  }
}

class CapturePassTest : public testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(Dtypes, CapturePassTest, testing::ValuesIn(all_dtypes()),
                         [](const auto& row) { return std::string(name_of(row.param)); });

TEST_P(CapturePassTest, HasTheCpusBitsForEverySize) {
  // Around lanes, sign groups, blocks of sums, tiles, and blocks of threads; the last has sketch blocks of
  // several tiles.
  for (const size_t count :
       {1U, 3U, 4U, 63U, 64U, 65U, 1023U, 1024U, 1025U, 4099U, 32767U, 32769U, 70001U, 200003U})
    expect_tensor_bits(Sample(GetParam(), random_values(count, static_cast<unsigned>(count))).view);
}

TEST_P(CapturePassTest, HasTheCpusBitsForEveryBitPattern) {
  for (const size_t count : {5U, 1500U, 70001U})
    expect_tensor_bits(random_bits(GetParam(), count).view);
}

TEST_P(CapturePassTest, HasTheCpusBitsForPartsByTheirPlaceInTheWhole) {
  const Sample sample = random_bits(GetParam(), 2100);
  const auto shard = [](int64_t dim, std::vector<IndexRange> ranges) {
    return Placement{"tp", 1, 2, Shard{dim, std::move(ranges)}};
  };
  const auto part = [&](Shape shape, const TensorLayout& layout) {
    expect_tensor_bits({GetParam(), std::move(shape), sample.bytes.data()}, layout);
  };
  part({6, 35, 10}, {{12, 35, 10}, {shard(0, {{6, 12}})}});
  part({6, 35, 10}, {{6, 70, 10}, {shard(1, {{35, 70}})}});
  part({6, 35, 10}, {{6, 35, 20}, {shard(2, {{10, 20}})}});
  part({6, 35, 10}, {{6, 70, 10}, {shard(1, {{60, 70}, {0, 20}, {31, 36}})}});
  part({6, 35, 10}, {{6, 35, 10}, {{"dp", 1, 2, Partial{}}}});
  part({3, 35, 10}, {{999, 35, 10}, {shard(0, {{500, 503}})}});
  part({0, 35, 10}, {{6, 35, 10}, {shard(0, {})}});
}

TEST_P(CapturePassTest, OfNothingIsNothing) {
  expect_tensor_bits({GetParam(), {4, 0}, nullptr});
}

TEST(CapturePassOfTest, NonFiniteElement_OnlyItselfIsLeftOut) {
  for (const DType dtype : {DType::float64, DType::float32, DType::bfloat16, DType::float16})
    for (const size_t at : {0U, 1023U, 1024U, 2600U, 4998U}) {
      std::vector<double> values = random_values(5000);
      for (const double odd : {nan, inf, -inf, -0.0}) {
        values[at] = odd;
        expect_tensor_bits(Sample(dtype, values).view);
      }
    }
  expect_tensor_bits(Sample(DType::float32, std::vector<double>(3000, nan)).view);
  expect_tensor_bits(Sample(DType::float32, std::vector<double>(3000, -0.0)).view);
}

TEST(CapturePassOfTest, HugeAndSubnormalDoublesAreScaledAsOnTheCpu) {
  for (const double scale : {0x1p1000, 0x1p600, 0x1p-600, 0x1p-1070}) {
    std::vector<double> values = random_values(5000);
    for (double& value : values)
      value *= scale;
    expect_tensor_bits(Sample(DType::float64, values).view);
    values[77] = nan;
    values[3000] = -inf;
    expect_tensor_bits(Sample(DType::float64, values).view);
  }
  const double most = std::numeric_limits<double>::max();
  expect_tensor_bits(Sample(DType::float64, std::vector<double>(2000, most)).view);  // sums overflow
}

TEST(CapturePassOfTest, LittleComesToTheHostWhateverTheSize) {
  for (const size_t count : {100U, 100000U}) {
    EmulatedGpu gpu;
    const Sample sample(DType::float32, random_values(count));
    measure_tensor_on(gpu, sample.view);
    EXPECT_LE(gpu.downloaded(), 600);
    EXPECT_LE(gpu.uploaded(), 3000);
  }
}

}  // namespace
}  // namespace parity::measure::cuda
