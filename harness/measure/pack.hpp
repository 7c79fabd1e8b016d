// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "harness/measure/simd.hpp"

namespace parity::simd {

/// 64 bytes of lanes, in one register of 64 or in two of 32: a kernel that is written in packs gives the same
/// bits in either. What needs other widths (AVX-512 or not) is chosen by `run_packed`.
inline constexpr size_t pack_bytes = 64;

/// A vector of `width` bytes; a class, since an alias of a dependent size is not one for every compiler.
template <class T, size_t width>
struct VectorOf {
  using type [[gnu::vector_size(width)]] = T;
};

template <class T, size_t width>
struct Pack {
  using Register = typename VectorOf<T, width>::type;
  static constexpr size_t registers = pack_bytes / width;
  static constexpr size_t lanes = pack_bytes / sizeof(T);
  static constexpr size_t register_lanes = width / sizeof(T);

  Register part[registers] = {};

  static Pack zero() { return {}; }
  static Pack all(T value) {
    Pack result;
    for (size_t r = 0; r < registers; ++r)
      result.part[r] = value - Register{};
    return result;
  }
  static Pack load(const void* from) {
    Pack result;
    for (size_t r = 0; r < registers; ++r)  // not at once: that would go through memory
      std::memcpy(&result.part[r], static_cast<const std::byte*>(from) + r * width, width);
    return result;
  }
  std::array<T, lanes> values() const {
    std::array<T, lanes> result;
    std::memcpy(result.data(), this, sizeof result);
    return result;
  }

  /// operate(register of this, register of other) on each.
  template <class Operate>
  static Pack map(const Pack& a, const Pack& b, Operate operate) {
    Pack result;
    for (size_t r = 0; r < registers; ++r)
      result.part[r] = operate(a.part[r], b.part[r]);
    return result;
  }
  friend Pack operator+(const Pack& a, const Pack& b) {
    return map(a, b, [](Register x, Register y) { return x + y; });
  }
  friend Pack operator-(const Pack& a, const Pack& b) {
    return map(a, b, [](Register x, Register y) { return x - y; });
  }
  friend Pack operator*(const Pack& a, const Pack& b) {
    return map(a, b, [](Register x, Register y) { return x * y; });
  }
  friend Pack operator/(const Pack& a, const Pack& b) {
    return map(a, b, [](Register x, Register y) { return x / y; });
  }
  friend Pack operator&(const Pack& a, const Pack& b) {
    return map(a, b, [](Register x, Register y) { return x & y; });
  }
  friend Pack operator^(const Pack& a, const Pack& b) {
    return map(a, b, [](Register x, Register y) { return x ^ y; });
  }
  Pack& operator+=(const Pack& other) { return *this = *this + other; }

  /// The larger of each lane; the second where they cannot be ordered.
  friend Pack larger(const Pack& a, const Pack& b) {
    return map(a, b, [](Register x, Register y) { return x > y ? x : y; });
  }
};

/// The same 64 bytes as lanes of another type.
template <class To, class From, size_t width>
Pack<To, width> cast(const Pack<From, width>& from) {
  Pack<To, width> result;
  for (size_t r = 0; r < result.registers; ++r)
    result.part[r] = (typename Pack<To, width>::Register)from.part[r];
  return result;
}

template <size_t width>
using WideDoubles = Pack<double, width>;
inline constexpr size_t wide = pack_bytes / sizeof(double);  ///< lanes of WideDoubles

template <size_t width>
WideDoubles<width> absolute(const WideDoubles<width>& x) {
  return cast<double>(cast<uint64_t>(x) & Pack<uint64_t, width>::all(~uint64_t{0} >> 1));
}

/// Sum and maximum of the lanes, always in the same order.
template <size_t width>
double sum(const WideDoubles<width>& x) {
  const auto v = x.values();
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}
template <class T, size_t width>
T largest(const Pack<T, width>& x) {
  const auto v = x.values();
  return *std::max_element(v.begin(), v.end());
}

/// Chooses the registers of a kernel's packs: calls `kernel.template operator()<width>(args...)`.
template <class Kernel, size_t width>
struct WithWidth {
  Kernel kernel;

  template <class... Args>
  auto operator()(Args... args) const {
    return kernel.template operator()<width>(args...);
  }
};

/// As `run`, for kernels that are written in packs.
template <class Kernel, class... Args>
auto run_packed(const Kernel& kernel, Args... args) {
#if defined(__x86_64__)
  if (level() == Level::avx512)
    return run_avx512(WithWidth<Kernel, 64>{kernel}, args...);
#endif
  return run(WithWidth<Kernel, 32>{kernel}, args...);
}

}  // namespace parity::simd
