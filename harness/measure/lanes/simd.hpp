// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace parity::measure::simd {

/// Vector instruction sets that a kernel is compiled for.
enum class Level { baseline, avx2, avx512 };

/// Returns the widest level that this machine supports.
inline Level detect_level() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
    return Level::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return Level::avx2;
#endif
  return Level::baseline;
}

/// Level that `run` uses. Tests lower it to show that every level gives the same bits.
inline Level& level() {
  static Level chosen = detect_level();
  return chosen;
}

#if defined(__x86_64__)
template <class Kernel, class... Args>
__attribute__((target("avx2,fma"), flatten)) auto run_avx2(const Kernel& kernel, Args... args) {
  return kernel(args...);
}

template <class Kernel, class... Args>
__attribute__((target("avx2,avx512f,avx512dq,avx512vl,avx512bw"), flatten)) auto run_avx512(
    const Kernel& kernel, Args... args) {
  return kernel(args...);
}
#endif

/// Runs `kernel(args...)` compiled for the widest vectors of this machine. Kernels name their lanes
/// explicitly and contraction is off, so every version gives the same bits.
template <class Kernel, class... Args>
auto run(const Kernel& kernel, Args... args) {
#if defined(__x86_64__)
  if (level() == Level::avx512)
    return run_avx512(kernel, args...);
  if (level() == Level::avx2)
    return run_avx2(kernel, args...);
#endif
  return kernel(args...);
}

/// Vectors of four lanes, which GCC keeps in one register from AVX2 on. Comparisons give all ones or zeros
/// per lane.
using Doubles = double __attribute__((vector_size(32)));
using Words = uint64_t __attribute__((vector_size(32)));
using SignedWords = int64_t __attribute__((vector_size(32)));
inline constexpr size_t lanes = 4;

/// Return the sum and the maximum of the lanes, always in the same order.
inline double sum(const double* v) {
  return (v[0] + v[2]) + (v[1] + v[3]);
}
inline double maximum(const double* v) {
  double most = v[0];
  for (size_t i = 1; i < lanes; ++i)
    most = v[i] > most ? v[i] : most;
  return most;
}

}  // namespace parity::measure::simd
