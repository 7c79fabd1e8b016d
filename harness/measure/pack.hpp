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
  /// All bits set.
  static Pack ones() {
    Pack result;
    for (size_t r = 0; r < registers; ++r)
      result.part[r] = ~Register{};
    return result;
  }
  static Pack load(const void* from) {
    Pack result;
    for (size_t r = 0; r < registers; ++r)  // not at once: that would go through memory
      std::memcpy(&result.part[r], static_cast<const std::byte*>(from) + r * width, width);
    return result;
  }
  /// Of numbers of another type. Lane by lane, as written: GCC makes one instruction of that, and several of
  /// its own vector conversion.
  template <class From>
  static Pack convert(const void* from) {
    if constexpr (std::is_same_v<From, T>)
      return load(from);
    Pack result;
    for (size_t r = 0; r < registers; ++r) {
      typename VectorOf<From, register_lanes * sizeof(From)>::type numbers;
      std::memcpy(&numbers, static_cast<const std::byte*>(from) + r * sizeof numbers, sizeof numbers);
      for (size_t lane = 0; lane < register_lanes; ++lane)
        result.part[r][lane] = static_cast<T>(numbers[lane]);
    }
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
  friend Pack operator|(const Pack& a, const Pack& b) {
    return map(a, b, [](Register x, Register y) { return x | y; });
  }
  friend Pack operator^(const Pack& a, const Pack& b) {
    return map(a, b, [](Register x, Register y) { return x ^ y; });
  }
  Pack& operator+=(const Pack& other) { return *this = *this + other; }

  /// The larger of each lane; the second where they cannot be ordered.
  friend Pack larger(const Pack& a, const Pack& b) {
    return map(a, b, [](Register x, Register y) { return x > y ? x : y; });
  }
  friend Pack smaller(const Pack& a, const Pack& b) {
    return map(a, b, [](Register x, Register y) { return x < y ? x : y; });
  }

  /// Lanes of `then` where test(register of a, register of b) holds, of `otherwise` elsewhere.
  template <class Test>
  static Pack choose(Test test, const Pack& a, const Pack& b, const Pack& then, const Pack& otherwise) {
    Pack result;
    for (size_t r = 0; r < registers; ++r)
      result.part[r] = test(a.part[r], b.part[r]) ? then.part[r] : otherwise.part[r];
    return result;
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

/// Of floats.
template <class T, size_t width>
Pack<T, width> absolute(const Pack<T, width>& x) {
  using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  return cast<T>(cast<Bits>(x) & Pack<Bits, width>::all(static_cast<Bits>(~Bits{0} >> 1)));
}

/// sum + x * y where a double holds each x * y: fused with AVX-512, which then gives the same bits.
template <size_t width>
WideDoubles<width> add_exact_product(const WideDoubles<width>& sum, const WideDoubles<width>& x,
                                     const WideDoubles<width>& y) {
  if constexpr (width < 64)
    return sum + x * y;
#if defined(__clang__)
  return {__builtin_elementwise_fma(x.part[0], y.part[0], sum.part[0])};
#elif defined(__OPTIMIZE__)  // GCC has no such function but one of the target, which only the caller is for
  WideDoubles<width> result = sum;
  asm("vfmadd231pd %2, %1, %0" : "+v"(result.part[0]) : "v"(x.part[0]), "v"(y.part[0]));
  return result;
#else
  return sum + x * y;
#endif
}

/// Folds the lanes of a register, its halves onto each other, with operate(x, y).
template <class T, size_t width, class Operate>
T fold(typename VectorOf<T, width>::type x, Operate operate) {
  if constexpr (width == 2 * sizeof(T)) {
    return operate(T{x[0]}, T{x[1]});
  } else {
    typename VectorOf<T, width / 2>::type low, high;
    std::memcpy(&low, &x, sizeof low);
    std::memcpy(&high, reinterpret_cast<const std::byte*>(&x) + sizeof low, sizeof high);
    return fold<T, width / 2>(operate(low, high), operate);
  }
}
/// Of 64 bytes, so that the order is the same whatever the registers are.
template <class T, size_t width, class Operate>
T fold(const Pack<T, width>& x, Operate operate) {
  if constexpr (width == pack_bytes)
    return fold<T, width>(x.part[0], operate);
  else
    return fold<T, width>(operate(x.part[0], x.part[1]), operate);
}
template <class T, size_t width>
T largest(const Pack<T, width>& x) {
  return fold(x, [](auto a, auto b) { return a > b ? a : b; });
}
template <class T, size_t width>
T smallest(const Pack<T, width>& x) {
  return fold(x, [](auto a, auto b) { return a < b ? a : b; });
}
/// Sum of the lanes: of doubles ((0+4) + (2+6)) + ((1+5) + (3+7)), of integers in 64 bits.
template <class T, size_t width>
auto sum(const Pack<T, width>& x) {
  if constexpr (sizeof(T) == 8) {
    return fold(x, [](auto a, auto b) { return a + b; });
  } else {
    using Wider =
        std::conditional_t<sizeof(T) == 4, int64_t, std::conditional_t<sizeof(T) == 2, int32_t, int16_t>>;
    using Sum = std::conditional_t<std::is_signed_v<T>, Wider, std::make_unsigned_t<Wider>>;
    const auto pairs = cast<Sum>(x);
    return sum(pairs.map(pairs, pairs, [](auto two, auto) {
      constexpr int bits = 8 * sizeof(T);
      return (two << bits >> bits) + (two >> bits);
    }));
  }
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
  const WithWidth<Kernel, 32> narrow{kernel};
#if defined(__x86_64__)
  if (level() == Level::avx512)
    return run_avx512(WithWidth<Kernel, 64>{kernel}, args...);
  if (level() == Level::avx2)
    return run_avx2(narrow, args...);
#endif
  return narrow(args...);
}

}  // namespace parity::simd
