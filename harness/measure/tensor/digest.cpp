// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/tensor/digest.hpp"

#include <array>

#include "harness/base/error.hpp"
#include "harness/measure/lanes/mix.hpp"
#include "harness/measure/lanes/simd.hpp"

namespace parity::measure {
namespace {

template <class Bits>
struct SumMixed {
  Digest operator()(const std::byte* data, size_t count, uint64_t first_index) const {
    uint64_t low = 0, high = 0;
    uint64_t index_key = (first_index + 1) * index_factor;
    for (size_t i = 0; i < count; ++i, index_key += index_factor) {
      Bits bits;
      std::memcpy(&bits, data + i * sizeof bits, sizeof bits);
      const Mixed mixed = mix_element(bits, index_key);
      low += mixed.low;
      high += mixed.high;
    }
    return {low, high};
  }
};

}  // namespace

Digest& Digest::operator+=(const Digest& other) {
  low += other.low;
  high += other.high;
  return *this;
}

std::string to_string(const Digest& digest) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text(32, '0');
  for (size_t i = 0; i < 16; ++i) {
    text[15 - i] = digits[(digest.high >> (4 * i)) & 15];
    text[31 - i] = digits[(digest.low >> (4 * i)) & 15];
  }
  return text;
}

Digest digest_of(const TensorView& view, uint64_t first_index) {
  const auto* data = static_cast<const std::byte*>(view.data);
  const auto count = static_cast<size_t>(view.size());
  switch (size_of(view.dtype)) {
    case 1:
      return simd::run(SumMixed<uint8_t>{}, data, count, first_index);
    case 2:
      return simd::run(SumMixed<uint16_t>{}, data, count, first_index);
    case 4:
      return simd::run(SumMixed<uint32_t>{}, data, count, first_index);
    case 8:
      return simd::run(SumMixed<uint64_t>{}, data, count, first_index);
    default:
      throw InternalError("digest of an element size that no dtype has");
  }
}

}  // namespace parity::measure
