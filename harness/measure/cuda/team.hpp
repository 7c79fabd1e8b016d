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

namespace parity::cuda {

/// The threads of one block of a kernel. A kernel's body is written once, as steps with a barrier after each:
/// a GPU takes a step with all threads at once, the host thread after thread. What threads keep from step to
/// step lies in the block's shared memory, and what decides the way through the steps is the same for all of
/// them.
struct Team {
  int threads = 1;
  /// On the host, the last thread first: a step whose threads need each other gives another result then.
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

/// Element i of an array of them. On the host it need not be aligned.
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

/// Of a place that all threads of all blocks share; none depends on who comes first.
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

}  // namespace parity::cuda
