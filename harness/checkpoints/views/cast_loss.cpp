// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/checkpoints/views/cast_loss.hpp"

#include <cmath>
#include <cstring>

#include "harness/tensor/conversions.hpp"

namespace parity::checkpoints {
namespace {

template <class Bits>
Bits load(const std::byte* from, int64_t i) {
  Bits bits = 0;
  std::memcpy(&bits, from + i * static_cast<int64_t>(sizeof bits), sizeof bits);
  return bits;
}

/// \param infinity  bits of positive infinity of the dtype `after` has, whose sign is the highest bit
template <class Bits>
CastLoss loss_of(DType from, const std::byte* before, const std::byte* after, const std::byte* other,
                 int64_t count, Bits infinity) {
  constexpr Bits magnitude = static_cast<Bits>(~Bits{0}) >> 1U;
  const auto size = static_cast<int64_t>(size_of(from));
  CastLoss loss;
  for (int64_t i = 0; i < count; ++i) {
    const Bits bits = load<Bits>(after, i), others = load<Bits>(other, i);
    const Bits absolute = bits & magnitude;
    if (absolute == infinity && bits == others && std::isfinite(widen(from, before + i * size))) {
      ++loss.overflowed;
      loss.first_overflow = loss.first_overflow < 0 ? i : loss.first_overflow;
    } else if (absolute == 0 && (others & magnitude) == 0) {
      const double value = widen(from, before + i * size);
      loss.underflowed += value != 0 ? 1 : 0;
      loss.underflow_squares += value * value;
    }
  }
  return loss;
}

}  // namespace

CastLoss cast_loss(DType from, const std::byte* before, DType to, const std::byte* after,
                   const std::byte* other, int64_t count) {
  if (from == to || !is_floating(from))
    return {};
  switch (to) {
    case DType::float32:
      return loss_of<uint32_t>(from, before, after, other, count, 0x7F800000U);
    case DType::bfloat16:
      return loss_of<uint16_t>(from, before, after, other, count, 0x7F80U);
    case DType::float16:
      return loss_of<uint16_t>(from, before, after, other, count, 0x7C00U);
    default:
      return {};
  }
}

}  // namespace parity::checkpoints
