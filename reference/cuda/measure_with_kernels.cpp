// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include "harness/measure/cuda/cuda_queue.hpp"
#include "harness/measure/cuda/measure_difference.hpp"
#include "harness/measure/cuda/measure_tensor.hpp"
#include "reference/cuda/measure.hpp"

namespace parity::reference {
namespace {

/// Calls `act` with a queue that runs after the work of the device's current stream. Its memory is
/// LibTorch's.
template <class Act>
auto with_queue(int device, const Act& act) {
  const c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(device));
  std::vector<c10::DataPtr> memory;
  measure::cuda::CudaQueue queue(c10::cuda::getCurrentCUDAStream().stream(), [&memory](size_t bytes) {
    memory.push_back(c10::cuda::CUDACachingAllocator::get()->allocate(bytes));
    return memory.back().get();
  });
  return act(queue);
}

measure::Measurement measure(const TensorView& view, const TensorLayout& layout, int device) {
  return with_queue(device, [&](measure::cuda::Queue& queue) {
    return measure::cuda::measure_tensor_on(queue, view, layout);
  });
}

measure::Difference difference(const TensorView& expected, const TensorView& actual, int device) {
  return with_queue(device, [&](measure::cuda::Queue& queue) {
    return measure::cuda::measure_difference_on(queue, expected, actual);
  });
}

constexpr DeviceMeasure kernels = {measure, difference};

}  // namespace

const DeviceMeasure* device_measure() {
  return &kernels;
}

}  // namespace parity::reference
