// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "harness/measure/lanes/simd.hpp"

namespace parity::measure::simd {

/// Size of a pack of lanes [bytes]: one register of 64 bytes, two of 32 or four of 16. A kernel written in
/// packs gives the same bits in each case. `run_packed` chooses the width: 64 bytes with AVX-512, 32 with
/// AVX2 and FMA, otherwise 16.
inline constexpr size_t pack_bytes = 64;

/// Calls take(constant) for 0 to count - 1. It is unrolled, because GCC keeps the registers of a loop in
/// memory.
template <size_t count, class Take>
[[gnu::always_inline]] constexpr void for_each_register(const Take& take) {
  [&]<size_t... r>(std::index_sequence<r...>) __attribute__((always_inline)) {
    (take(std::integral_constant<size_t, r>{}), ...);
  }(std::make_index_sequence<count>{});
}

/// A vector of `width` bytes. It is a class, because not every compiler accepts an alias of a dependent size.
template <class T, size_t width>
struct VectorOf {
  using type [[gnu::vector_size(width)]] = T;
};

/// A pack of lanes in one or more registers.
/// \tparam bytes  size of all lanes; `width` if the order of lanes does not matter, as for integers, so that
///         a kernel with many sums keeps them in registers
template <class T, size_t width, size_t bytes = pack_bytes>
struct Pack {
  using Register = typename VectorOf<T, width>::type;
  static constexpr size_t registers = bytes / width;
  static constexpr size_t lanes = bytes / sizeof(T);
  static constexpr size_t register_lanes = width / sizeof(T);

  Register part[registers] = {};

  static Pack zero() { return {}; }
  static Pack all(T value) {
    Pack result;
    for_each_register<registers>([&](auto r) { result.part[r] = value - Register{}; });
    return result;
  }
  /// Returns a pack with all bits set.
  static Pack ones() {
    Pack result;
    for_each_register<registers>([&](auto r) { result.part[r] = ~Register{}; });
    return result;
  }
  static Pack load(const void* from) {
    Pack result;
    for_each_register<registers>([&](auto r) {
      std::memcpy(&result.part[r], static_cast<const std::byte*>(from) + r * width, width);
    });
    return result;
  }
  /// Converts numbers of another type, at any address.
  template <class From>
  static Pack convert(const void* from) {
    if constexpr (std::is_same_v<From, T>)
      return load(from);
    Pack result;
    for_each_register<registers>([&](auto r) {
      using Numbers = typename VectorOf<From, register_lanes * sizeof(From)>::type;
      const auto* place = static_cast<const std::byte*>(from) + r * sizeof(Numbers);
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
      // GCC 12 splits such a load lane by lane; its own vector conversion takes five instructions.
      struct Bytes {
        std::byte all[sizeof(Numbers)];
      };
      [[maybe_unused]] const auto& memory = *reinterpret_cast<const Bytes*>(place);
      if constexpr (width >= 32 && std::is_same_v<From, float>) {
        Register wider;
        asm("vcvtps2pd %1, %0" : "=v"(wider) : "m"(memory));
        result.part[r] = wider;
        return;
      } else if constexpr (width >= 32 && std::is_same_v<From, int32_t>) {
        Register wider;
        asm("vcvtdq2pd %1, %0" : "=v"(wider) : "m"(memory));
        result.part[r] = wider;
        return;
      }
#endif
      Numbers numbers;
      std::memcpy(&numbers, place, sizeof numbers);
      for (size_t lane = 0; lane < register_lanes; ++lane)
        result.part[r][lane] = static_cast<T>(numbers[lane]);
    });
    return result;
  }
  std::array<T, lanes> values() const {
    std::array<T, lanes> result;
    std::memcpy(result.data(), this, sizeof result);
    return result;
  }

  /// Applies operate(register of a, register of b) to each pair of registers.
  template <class Operate>
  static Pack map(const Pack& a, const Pack& b, Operate operate) {
    Pack result;
    for_each_register<registers>([&](auto r) { result.part[r] = operate(a.part[r], b.part[r]); });
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

  /// Returns the larger value of each lane; the second if they cannot be ordered.
  friend Pack larger(const Pack& a, const Pack& b) {
    return map(a, b, [](Register x, Register y) { return x > y ? x : y; });
  }
  friend Pack smaller(const Pack& a, const Pack& b) {
    return map(a, b, [](Register x, Register y) { return x < y ? x : y; });
  }

  /// Returns lanes of `then` where test(register of a, register of b) holds, and of `otherwise` elsewhere.
  template <class Test>
  static Pack choose(Test test, const Pack& a, const Pack& b, const Pack& then, const Pack& otherwise) {
    Pack result;
    for_each_register<registers>(
        [&](auto r) { result.part[r] = test(a.part[r], b.part[r]) ? then.part[r] : otherwise.part[r]; });
    return result;
  }
};

/// Returns the same bytes as lanes of another type.
template <class To, class From, size_t width, size_t bytes>
Pack<To, width, bytes> cast(const Pack<From, width, bytes>& from) {
  Pack<To, width, bytes> result;
  for_each_register<result.registers>(
      [&](auto r) { result.part[r] = (typename Pack<To, width, bytes>::Register)from.part[r]; });
  return result;
}

template <size_t width>
using WideDoubles = Pack<double, width>;
inline constexpr size_t wide = pack_bytes / sizeof(double);  ///< number of lanes of WideDoubles

/// Returns the absolute value of floats.
template <class T, size_t width, size_t bytes>
Pack<T, width, bytes> absolute(const Pack<T, width, bytes>& x) {
  using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  return cast<T>(cast<Bits>(x) & Pack<Bits, width, bytes>::all(static_cast<Bits>(~Bits{0} >> 1)));
}

/// Returns sum + x * y, for products that a double holds exactly. It is fused with AVX-512 and FMA, which
/// give the same bits for exact products.
template <size_t width, size_t bytes>
Pack<double, width, bytes> add_exact_product(const Pack<double, width, bytes>& sum,
                                             const Pack<double, width, bytes>& x,
                                             const Pack<double, width, bytes>& y) {
  if constexpr (width == 16)
    return sum + x * y;
  Pack<double, width, bytes> result = sum;
#if defined(__clang__)
  for_each_register<result.registers>(
      [&](auto r) { result.part[r] = __builtin_elementwise_fma(x.part[r], y.part[r], sum.part[r]); });
// GCC has only a function for the target, which is compiled for the caller alone.
#elif defined(__OPTIMIZE__)
  for_each_register<result.registers>([&](auto r) {
    auto fused = sum.part[r];
    asm("vfmadd231pd %2, %1, %0" : "+v"(fused) : "v"(x.part[r]), "v"(y.part[r]));
    result.part[r] = fused;
  });
#else
  result += x * y;
#endif
  return result;
}

/// Folds the lanes of a register with operate(x, y), one half onto the other.
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
/// Folds all lanes of a pack, its halves first, so that the order does not depend on the registers.
template <class T, size_t width, size_t bytes, class Operate>
T fold(Pack<T, width, bytes> x, Operate operate) {
  if constexpr (x.registers == 4)
    for_each_register<2>([&](auto r) { x.part[r] = operate(x.part[r], x.part[r + 2]); });
  if constexpr (x.registers >= 2)
    x.part[0] = operate(x.part[0], x.part[1]);
  return fold<T, width>(x.part[0], operate);
}
template <class T, size_t width, size_t bytes>
T largest(const Pack<T, width, bytes>& x) {
  return fold(x, [](auto a, auto b) { return a > b ? a : b; });
}
template <class T, size_t width, size_t bytes>
T smallest(const Pack<T, width, bytes>& x) {
  return fold(x, [](auto a, auto b) { return a < b ? a : b; });
}
/// Returns the sum of the lanes: of doubles as ((0+4) + (2+6)) + ((1+5) + (3+7)), of integers in 64 bits.
template <class T, size_t width, size_t bytes>
auto sum(const Pack<T, width, bytes>& x) {
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

/// Calls a kernel with a given register width: `kernel.template operator()<width>(args...)`.
template <class Kernel, size_t width>
struct WithWidth {
  Kernel kernel;

  template <class... Args>
  auto operator()(Args... args) const {
    return kernel.template operator()<width>(args...);
  }
};

/// Runs a kernel that is written in packs, otherwise like `run`.
template <class Kernel, class... Args>
auto run_packed(const Kernel& kernel, Args... args) {
#if defined(__x86_64__)
  if (level() == Level::avx512)
    return run_avx512(WithWidth<Kernel, 64>{kernel}, args...);
  if (level() == Level::avx2)
    return run_avx2(WithWidth<Kernel, 32>{kernel}, args...);
#endif
  return WithWidth<Kernel, 16>{kernel}(args...);
}

}  // namespace parity::measure::simd
