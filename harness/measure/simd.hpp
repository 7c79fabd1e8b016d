// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace parity::simd {

/// Runs `kernel(args...)` compiled for the widest vectors this machine has. Kernels name their lanes
/// explicitly and contraction is off, so every version gives the same bits.

#if defined(__x86_64__)
template <class Kernel, class... Args>
__attribute__((target("avx2"), flatten)) auto run_avx2(const Kernel& kernel, Args... args) {
  return kernel(args...);
}

template <class Kernel, class... Args>
__attribute__((target("avx2,avx512f,avx512dq,avx512vl,avx512bw"), flatten)) auto run_avx512(
    const Kernel& kernel, Args... args) {
  return kernel(args...);
}
#endif

template <class Kernel, class... Args>
auto run(const Kernel& kernel, Args... args) {
#if defined(__x86_64__)
  static const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                             __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
  static const bool avx2 = __builtin_cpu_supports("avx2");
  if (avx512)
    return run_avx512(kernel, args...);
  if (avx2)
    return run_avx2(kernel, args...);
#endif
  return kernel(args...);
}

/// Eight lanes; comparisons give all ones or zeros a lane.
using Doubles = double __attribute__((vector_size(64)));
using Words = uint64_t __attribute__((vector_size(64)));
using SignedWords = int64_t __attribute__((vector_size(64)));
inline constexpr size_t lanes = 8;

/// Sum and maximum of the lanes, always in the same order.
inline double sum(const double* v) {
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}
inline double maximum(const double* v) {
  double most = v[0];
  for (size_t i = 1; i < lanes; ++i)
    most = v[i] > most ? v[i] : most;
  return most;
}

}  // namespace parity::simd
