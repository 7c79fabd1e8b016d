// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A stand-in for libparity-device.so: the kernels run on the host, on memory of the host. Device 7 is broken.
#include "harness/api/recorder/device_measure.hpp"
#include "harness/measure/cuda/measure_tensor.hpp"
#include "tests/support/devices/emulated_gpu.hpp"

namespace parity::capi {
namespace {

constexpr int broken = 7;

bool usable(int device, std::string& why) {
  why = "device 8 is not one of the 8 visible";
  return device < 8;
}

bool tensor(const TensorView& view, const TensorLayout& layout, int device, void* /*stream*/,
            measure::Measurement& found, std::string& why) {
  if (device == broken) {
    why = "CUDA cannot allocate memory for a measurement: out of memory";
    return false;
  }
  measure::cuda::EmulatedGpu gpu(true);
  found = measure::cuda::measure_tensor_on(gpu, view, layout);
  return true;
}

constexpr DeviceMeasure emulated = {DeviceMeasure::current_version, usable, tensor};

}  // namespace
}  // namespace parity::capi

extern "C" const parity::capi::DeviceMeasure* parity_device_measure() {
  return &parity::capi::emulated;
}
