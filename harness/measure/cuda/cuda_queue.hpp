// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "harness/measure/cuda/queue.hpp"

struct CUstream_st;

namespace parity::measure::cuda {

/// A stream of the current CUDA device.
class CudaQueue final : public Queue {
 public:
  /// Allocates memory for the stream's work, valid as long as the queue.
  using Allocate = std::function<void*(size_t bytes)>;

  CudaQueue(CUstream_st* stream, Allocate allocate) : stream_(stream), allocate_(std::move(allocate)) {}

  void* allocate(size_t bytes) override { return allocate_(bytes); }
  void fill(void* there, int byte, size_t bytes) override;
  void upload(void* there, const void* here, size_t bytes) override;
  void download(void* here, const void* there, size_t bytes) override;
  void run(const Kernel& kernel, int64_t blocks) override;

 private:
  CUstream_st* stream_;
  Allocate allocate_;
};

}  // namespace parity::measure::cuda
