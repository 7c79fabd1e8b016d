// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__CUDACC__)
#define PARITY_HOST_DEVICE __host__ __device__
#else
#define PARITY_HOST_DEVICE
#endif

namespace parity::measure::cuda {

/// The threads of one block of a kernel. A kernel's body is written once, as steps with a barrier after each.
/// A GPU runs all threads of a step at once; the host runs one thread after another. Data that threads keep
/// between steps lies in the block's shared memory. The control flow between steps is the same for all
/// threads.
struct Team {
  int threads = 1;
  /// On the host, run the last thread first. A step whose threads depend on each other then gives another
  /// result.
  bool backward = false;

  template <class Step>
  PARITY_HOST_DEVICE void each(const Step& step) const {
#if defined(__CUDA_ARCH__)
    step(static_cast<int>(threadIdx.x));
    __syncthreads();
#else
    for (int i = 0; i < threads; ++i)
      step(backward ? threads - 1 - i : i);
#endif
  }
};

/// Returns element i of an array. On the host it need not be aligned.
template <class Bits>
PARITY_HOST_DEVICE inline Bits load_bits(const void* data, int64_t i) {
#if defined(__CUDA_ARCH__)
  return static_cast<const Bits*>(data)[i];
#else
  Bits bits;
  std::memcpy(&bits, static_cast<const std::byte*>(data) + i * static_cast<int64_t>(sizeof bits),
              sizeof bits);
  return bits;
#endif
}

/// Updates a value that all threads of all blocks share; the result does not depend on their order.
PARITY_HOST_DEVICE inline void shared_add(uint64_t& place, uint64_t value) {
#if defined(__CUDA_ARCH__)
  atomicAdd(reinterpret_cast<unsigned long long*>(&place), static_cast<unsigned long long>(value));
#else
  place += value;
#endif
}
PARITY_HOST_DEVICE inline void shared_maximum(uint64_t& place, uint64_t value) {
#if defined(__CUDA_ARCH__)
  atomicMax(reinterpret_cast<unsigned long long*>(&place), static_cast<unsigned long long>(value));
#else
  place = value > place ? value : place;
#endif
}
PARITY_HOST_DEVICE inline void shared_minimum(uint64_t& place, uint64_t value) {
#if defined(__CUDA_ARCH__)
  atomicMin(reinterpret_cast<unsigned long long*>(&place), static_cast<unsigned long long>(value));
#else
  place = value < place ? value : place;
#endif
}

}  // namespace parity::measure::cuda
