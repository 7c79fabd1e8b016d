// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "harness/tensor/conversions.hpp"
#include "harness/tensor/tensor_view.hpp"

namespace parity {

/// A tensor of any dtype that owns its bytes.
struct Sample {
  std::vector<std::byte> bytes;
  TensorView view;

  Sample(DType dtype, const std::vector<double>& values)
      : bytes(values.size() * size_of(dtype) + 1),
        view{dtype, {static_cast<int64_t>(values.size())}, nullptr} {
    for (size_t i = 0; i < values.size(); ++i)
      set(i, values[i]);
    view.data = bytes.data();
  }
  Sample(const Sample& other) : bytes(other.bytes), view(other.view) { view.data = bytes.data(); }
  Sample& operator=(const Sample&) = delete;

  template <class T>
  void put(size_t i, T element) {
    std::memcpy(bytes.data() + i * sizeof element, &element, sizeof element);
  }
  template <class T>
  T get(size_t i) const {
    T element;
    std::memcpy(&element, bytes.data() + i * sizeof element, sizeof element);
    return element;
  }

  /// Stores the nearest element of the dtype (8-bit floats: the nearest of all 256).
  void set(size_t i, double value) {
    const auto as_float = static_cast<float>(value);
    switch (view.dtype) {
      case DType::float64:
        return put(i, value);
      case DType::float32:
        return put(i, as_float);
      case DType::bfloat16:
        return put(i, float_to_bfloat16(as_float));
      case DType::float16:
        return put(i, float_to_float16(as_float));
      case DType::float8_e4m3fn:
        return put(i, nearest_of(float8_e4m3fn_values, value));
      case DType::float8_e5m2:
        return put(i, nearest_of(float8_e5m2_values, value));
      case DType::int64:
      case DType::residue64:
        return put(i, static_cast<int64_t>(value));
      case DType::int32:
        return put(i, static_cast<int32_t>(value));
      case DType::int16:
        return put(i, static_cast<int16_t>(value));
      case DType::int8:
        return put(i, static_cast<int8_t>(value));
      case DType::uint8:
        return put(i, static_cast<uint8_t>(value));
      case DType::bool8:
        return put(i, static_cast<uint8_t>(value != 0));
    }
  }

  /// The element with the next bit pattern.
  void next(size_t i) {
    switch (size_of(view.dtype)) {
      case 8:
        return put(i, get<uint64_t>(i) + 1);
      case 4:
        return put(i, get<uint32_t>(i) + 1);
      case 2:
        return put(i, static_cast<uint16_t>(get<uint16_t>(i) + 1));
      default:
        return put(i, static_cast<uint8_t>(view.dtype == DType::bool8 ? !get<bool>(i) : get<uint8_t>(i) + 1));
    }
  }

  double value(size_t i) const { return widen(view.dtype, bytes.data() + i * size_of(view.dtype)); }

 private:
  static uint8_t nearest_of(const std::array<double, 256>& table, double value) {
    size_t best = 0;
    for (size_t i = 0; i < table.size(); ++i)
      if (std::abs(table[i] - value) < std::abs(table[best] - value))
        best = i;
    return static_cast<uint8_t>(best);
  }
};

inline const std::vector<DType>& all_dtypes() {
  static const std::vector<DType> list = [] {
    std::vector<DType> dtypes;
    for (size_t i = 0; i < EnumNames<DType>::names.size(); ++i)
      dtypes.push_back(static_cast<DType>(i));
    return dtypes;
  }();
  return list;
}

/// In [0, 1), the same on every platform.
inline double uniform(std::mt19937& random) {
  return static_cast<double>(random() >> 8) * 0x1p-24;
}

/// `count` values in [1, 8), reproducible; representable signs and sizes in every dtype (integers truncate).
inline std::vector<double> random_values(size_t count, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<double> values(count);
  for (double& value : values)
    value = 1.0 + 7.0 * uniform(random);
  return values;
}

}  // namespace parity
