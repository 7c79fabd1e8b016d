// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <mutex>
#include <stdexcept>
#include <vector>

#include <cuda_runtime_api.h>

#include "harness/api/recorder/device_measure.hpp"
#include "harness/measure/cuda/cuda_queue.hpp"
#include "harness/measure/cuda/measure_tensor.hpp"

namespace parity::capi {
namespace {

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess)
    return;
  static_cast<void>(cudaGetLastError());  // so that a later call does not report it again
  throw std::runtime_error(std::string("CUDA cannot ") + what + ": " + cudaGetErrorString(error));
}

/// Makes a device current until the end of its life.
class Current {
 public:
  explicit Current(int device) {
    check(cudaGetDevice(&before_), "say which device is current");
    changed_ = device != before_;
    if (changed_)
      check(cudaSetDevice(device), "use the device");
  }
  ~Current() {
    if (changed_)
      static_cast<void>(cudaSetDevice(before_));
  }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  int before_ = 0;
  bool changed_ = false;
};

/// Device memory that is kept from one measurement to the next: each ends by waiting for its stream.
class Scratch {
 public:
  void* take(size_t bytes) {
    constexpr size_t alignment = 256;
    const size_t size = (bytes + alignment - 1) / alignment * alignment;
    for (Block& block : blocks_)
      if (block.size - block.used >= size) {
        block.used += size;
        return static_cast<char*>(block.start) + block.used - size;
      }
    constexpr size_t smallest = size_t{1} << 20;
    Block block{nullptr, std::max(size, smallest), size};
    check(cudaMalloc(&block.start, block.size), "allocate memory for a measurement");
    blocks_.push_back(block);
    return block.start;
  }
  /// Makes all of it free again. Keeps one block as large as all were, so that one is enough next time.
  void reset() {
    size_t all = 0;
    for (Block& block : blocks_) {
      block.used = 0;
      all += block.size;
    }
    if (blocks_.size() < 2)
      return;
    for (const Block& block : blocks_)
      static_cast<void>(cudaFree(block.start));
    blocks_.clear();
    Block block{nullptr, all, 0};
    if (cudaMalloc(&block.start, all) == cudaSuccess)
      blocks_.push_back(block);
    else
      static_cast<void>(cudaGetLastError());  // then the next measurement allocates what it needs
  }

 private:
  struct Block {
    void* start;
    size_t size, used;
  };
  std::vector<Block> blocks_;
};

/// Calls `act`. Returns false and sets `why` if it throws.
template <class Act>
bool tried(std::string& why, const Act& act) {
  try {
    act();
    return true;
  } catch (const std::exception& error) {
    why = error.what();
  } catch (...) {
    why = "an unknown exception";
  }
  return false;
}

bool usable(int device, std::string& why) {
  return tried(why, [&] {
    int count = 0;
    check(cudaGetDeviceCount(&count), "find a device");
    if (device < 0 || device >= count)
      throw std::runtime_error("device " + std::to_string(device) + " is not one of the " +
                               std::to_string(count) + " visible");
  });
}

bool tensor(const TensorView& view, const TensorLayout& layout, int device, void* stream,
            measure::Measurement& found, std::string& why) {
  static std::mutex one_at_a_time;
  static std::map<int, Scratch> scratch_of;
  return tried(why, [&] {
    const std::lock_guard lock(one_at_a_time);
    const Current current(device);
    Scratch& scratch = scratch_of[device];
    measure::cuda::CudaQueue queue(static_cast<cudaStream_t>(stream),
                                   [&](size_t bytes) { return scratch.take(bytes); });
    try {
      found = measure::cuda::measure_tensor_on(queue, view, layout);
    } catch (...) {
      static_cast<void>(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)));
      scratch.reset();
      throw;
    }
    scratch.reset();
  });
}

constexpr DeviceMeasure measure_table = {DeviceMeasure::current_version, usable, tensor};

}  // namespace
}  // namespace parity::capi

extern "C" __attribute__((visibility("default"))) const parity::capi::DeviceMeasure* parity_device_measure() {
  return &parity::capi::measure_table;
}
