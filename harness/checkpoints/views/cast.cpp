// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/checkpoints/views/cast.hpp"

#include <cstring>
#include <utility>

#include "harness/base/error.hpp"
#include "harness/tensor/conversions.hpp"

namespace parity::checkpoints {
namespace {

bool is_small_float(DType dtype) {
  return is_floating(dtype) && size_of(dtype) == 1;
}

/// Returns a place in the order from short to long significands.
int significand(DType dtype) {
  return dtype == DType::float64 ? 3 : dtype == DType::float32 ? 2 : dtype == DType::float16 ? 1 : 0;
}

template <class T>
void store(std::byte* to, int64_t i, T value) {
  std::memcpy(to + i * static_cast<int64_t>(sizeof value), &value, sizeof value);
}

template <class Make>
void convert_with(DType from_type, const std::byte* from, std::byte* to, int64_t count, const Make& make) {
  const auto size = static_cast<int64_t>(size_of(from_type));
  if (from_type == DType::float32) {  // the usual case, without a switch for each element
    for (int64_t i = 0; i < count; ++i) {
      float value = 0;
      std::memcpy(&value, from + i * size, sizeof value);
      store(to, i, make(static_cast<double>(value)));
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    store(to, i, make(widen(from_type, from + i * size)));
}

}  // namespace

std::optional<Cast> cast_between(DType a, DType b) {
  if (a == b)
    return Cast{a};
  if (is_floating(a) != is_floating(b))
    return {};
  if (!is_floating(a)) {
    const bool bytes = size_of(a) == 1 && size_of(b) == 1;  // bool, int8 and uint8 do not hold each other
    return Cast{bytes ? DType::int16 : size_of(a) > size_of(b) ? a : b};
  }
  if (is_small_float(a) || is_small_float(b))
    return Cast{is_small_float(a) && is_small_float(b) ? DType::float32 : is_small_float(a) ? b : a};
  return Cast{significand(a) < significand(b) ? a : b, true};
}

void convert(DType from_type, const std::byte* from, DType to_type, std::byte* to, int64_t count) {
  const auto with = [&](const auto& make) { convert_with(from_type, from, to, count, make); };
  if (from_type == to_type) {
    std::memcpy(to, from, static_cast<size_t>(count) * size_of(to_type));
    return;
  }
  switch (to_type) {
    case DType::float64:
      return with([](double x) { return x; });
    case DType::float32:
      return with([](double x) { return static_cast<float>(x); });
    case DType::bfloat16:
      return with([](double x) { return float_to_bfloat16(static_cast<float>(x)); });
    case DType::float16:
      return with([](double x) { return float_to_float16(static_cast<float>(x)); });
    case DType::int64:
      return with([](double x) { return static_cast<int64_t>(x); });
    case DType::int32:
      return with([](double x) { return static_cast<int32_t>(x); });
    case DType::int16:
      return with([](double x) { return static_cast<int16_t>(x); });
    default:
      throw InternalError("a cast to a dtype that cast_between() never names");
  }
}

}  // namespace parity::checkpoints
