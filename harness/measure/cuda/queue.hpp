// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <variant>

#include "harness/measure/cuda/difference_kernel.hpp"
#include "harness/measure/cuda/segment_kernel.hpp"
#include "harness/measure/cuda/statistics_kernel.hpp"
#include "harness/measure/cuda/sum_kernel.hpp"

namespace parity::measure::cuda {

using Kernel = std::variant<StatisticsKernel, SegmentKernel, SumKernel, DifferenceKernel, WorstKernel>;

/// Runs work on a device in the order it was submitted: the operations that a measurement needs from a GPU.
/// Functions throw InternalError if the device fails.
class Queue {
 public:
  virtual ~Queue() = default;

  /// Allocates device memory, aligned for any number and valid as long as the queue.
  virtual void* allocate(size_t bytes) = 0;
  virtual void fill(void* there, int byte, size_t bytes) = 0;
  virtual void upload(void* there, const void* here, size_t bytes) = 0;
  /// Copies to the host; waits for all earlier work.
  virtual void download(void* here, const void* there, size_t bytes) = 0;
  /// Runs a kernel. \param blocks  at least 1
  virtual void run(const Kernel& kernel, int64_t blocks) = 0;

  template <class T>
  T* allocate_array(int64_t count) {
    return static_cast<T*>(allocate(static_cast<size_t>(count) * sizeof(T)));
  }

 protected:
  Queue() = default;
  Queue(const Queue&) = default;
  Queue& operator=(const Queue&) = default;
};

}  // namespace parity::measure::cuda
