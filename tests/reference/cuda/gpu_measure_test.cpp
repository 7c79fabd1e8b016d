// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernels on a real GPU against the CPU's passes; reported as skipped on machines without a GPU.
#include <gmock/gmock.h>

#include <torch/types.h>

#include "harness/measure/difference/measure_difference.hpp"
#include "tests/support/devices/gpu_fixture.hpp"
#include "tests/support/odd_values.hpp"
#include "tests/support/traces/measured_bits.hpp"

namespace parity::reference {
namespace {

using testing::Each;

/// A sample's bytes in the GPU's memory.
struct OnGpu {
  torch::Tensor bytes;
  TensorView view;

  explicit OnGpu(const Sample& sample)
      : bytes(torch::from_blob(const_cast<std::byte*>(sample.bytes.data()),
                               {static_cast<int64_t>(sample.bytes.size())}, torch::kByte)
                  .to(torch::Device(torch::kCUDA, 0))),
        view{sample.view.dtype, sample.view.shape, bytes.const_data_ptr()} {}
};

void require_same(const std::vector<uint64_t>& actual, const std::vector<uint64_t>& expected,
                  const TensorView& view) {
  require(actual == expected, std::string(name_of(view.dtype)) + " " + to_string(view.shape));
}

/// Every dtype, odd sizes, every bit pattern, several blocks of several tiles.
template <class Act>
void for_each_sample(const Act& act) {
  for (const DType dtype : all_dtypes())
    for (const size_t count : {1U, 3U, 65U, 1025U, 4099U, 70001U, 3000017U}) {
      act(random_bits(dtype, count));
      act(Sample(dtype, random_values(count)));
    }
  std::vector<double> values = random_values(5000);
  for (const double scale : {0x1p1000, 0x1p-1000}) {
    for (double& value : values)
      value *= scale;
    act(Sample(DType::float64, values));
  }
}

class GpuMeasureTest : public GpuTest {
 protected:
  using Act = std::function<void(const DeviceMeasure& measure)>;

  /// In a rank's process.
  void on_gpu(const Act& act) {
    EXPECT_THAT(run_ranks(1,
                          [&](Group& world) {
                            const DeviceMeasure* const measure = world.device().plugin->measure;
                            require(measure != nullptr, "this build has no kernels (PARITY_CUDA)");
                            act(*measure);
                          }),
                Each(""));
  }
};

TEST_F(GpuMeasureTest, ACaptureHasTheCpusBits) {
  if (devices() < 1)
    GTEST_SKIP() << "needs 1 GPU, found 0";
  on_gpu([](const DeviceMeasure& measure) {
    for_each_sample([&](const Sample& sample) {
      const OnGpu there(sample);
      for (int again = 0; again < 2; ++again)
        require_same(bits_of(measure.tensor(there.view, {}, 0)),
                     bits_of(measure::measure_tensor(sample.view)), sample.view);
    });
  });
}

TEST_F(GpuMeasureTest, ACaptureOfAPartHasTheCpusBits) {
  if (devices() < 1)
    GTEST_SKIP() << "needs 1 GPU, found 0";
  on_gpu([](const DeviceMeasure& measure) {
    const Sample sample = random_bits(DType::float32, 21000);
    const OnGpu there(sample);
    for (const Shard& shard : {Shard{0, {{60, 120}}}, Shard{1, {{600, 700}, {0, 200}, {310, 360}}}}) {
      TensorLayout layout = {{60, 350}, {{"tp", 1, 2, shard}}};
      layout.global_shape[static_cast<size_t>(shard.dim)] *= 2;
      const TensorView here = {DType::float32, {60, 350}, sample.bytes.data()};
      const TensorView on_device = {DType::float32, {60, 350}, there.view.data};
      require_same(bits_of(measure.tensor(on_device, layout, 0)),
                   bits_of(measure::measure_tensor(here, layout)), here);
    }
  });
}

TEST_F(GpuMeasureTest, ADifferenceHasTheCpusBits) {
  if (devices() < 1)
    GTEST_SKIP() << "needs 1 GPU, found 0";
  on_gpu([](const DeviceMeasure& measure) {
    for_each_sample([&](const Sample& sample) {
      Sample other = sample;
      for (size_t i = 0; i < static_cast<size_t>(sample.view.size()); i += 700)
        other.next(i);
      const OnGpu expected(sample), actual(other);
      for (const OnGpu* const side : {&expected, &actual})
        require_same(
            bits_of(measure.difference(expected.view, side->view, 0)),
            bits_of(measure::measure_difference(sample.view, side == &actual ? other.view : sample.view)),
            sample.view);
    });
  });
}

}  // namespace
}  // namespace parity::reference
