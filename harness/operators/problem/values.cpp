// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/operators/problem/values.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/hash.hpp"
#include "harness/operators/problem/stored_values.hpp"
#include "harness/tensor/conversions.hpp"

namespace parity::operators {
namespace {

/// Random numbers by counter: number i of a stream is a function of i.
class Stream {
 public:
  Stream(const std::string& name, const Point& point, uint64_t variation) {
    std::string text = name;
    for (const auto& [symbol, size] : point.sizes)
      text += fmt::format("|{}={}", symbol, size);
    key_ = splitmix64(fnv1a(text) ^ splitmix64(variation));
  }

  uint64_t bits(uint64_t counter) const { return splitmix64(key_ ^ splitmix64(counter)); }
  /// Returns a number in (0, 1).
  double unit(uint64_t counter) const { return (static_cast<double>(bits(counter) >> 11) + 0.5) * 0x1p-53; }
  double normal(uint64_t i) const {
    return std::sqrt(-2 * std::log(unit(4 * i))) * std::cos(2 * std::numbers::pi * unit(4 * i + 1));
  }
  double exponential(uint64_t i) const { return -std::log(unit(4 * i + 2)); }

 private:
  uint64_t key_ = 0;
};

double smallest_normal(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return std::numeric_limits<double>::min();
    case DType::float16:
      return 0x1p-14;
    case DType::float8_e4m3fn:
      return 0x1p-6;
    case DType::float8_e5m2:
      return 0x1p-14;
    default:
      return std::numeric_limits<float>::min();  // also of bfloat16
  }
}

double drawn(const TensorSpec& spec, const Stream& stream, const Point& point, uint64_t i, uint64_t row) {
  switch (spec.values) {
    case ValueKind::normal:
      return stream.normal(i);
    case ValueKind::uniform:
      return 2 * stream.unit(4 * i) - 1;
    case ValueKind::lognormal:
      return std::exp(stream.normal(i));
    case ValueKind::heavy_tailed:
      return stream.normal(i) / std::sqrt(stream.exponential(i));
    case ValueKind::denormal:
      return stream.normal(i) / 4 * smallest_normal(spec.dtype_at(point));
    case ValueKind::cancelling: {
      const bool second = (i % row) % 2 == 1;
      return second ? stream.normal(i) - 1000 * stream.normal(i - 1) : 1000 * stream.normal(i);
    }
    case ValueKind::one_hot:
      return stream.bits(4 * (i / row)) % row == i % row ? 1 : 0;
    case ValueKind::integers: {
      const int64_t low = point.value(spec.low), high = point.value(spec.high);
      if (high <= low)
        throw UserError(fmt::format("integers from {} up to {} are none; raise 'high'", low, high));
      if (spec.ignored && stream.unit(4 * i + 1) < 0.25)
        return static_cast<double>(*spec.ignored);
      return static_cast<double>(low) +
             static_cast<double>(stream.bits(4 * i) % static_cast<uint64_t>(high - low));
    }
  }
  return 0;
}

}  // namespace

double rounded(DType dtype, double value) {
  switch (dtype) {
    case DType::float64:
    case DType::int64:
      return value;
    case DType::float32:
      return static_cast<float>(value);
    case DType::bfloat16:
      return bfloat16_to_float(float_to_bfloat16(round_to_odd(value)));
    case DType::float16:
      return float16_to_float(float_to_float16(round_to_odd(value)));
    case DType::int32:
    case DType::int16:
    case DType::int8:
    case DType::uint8:
      return std::nearbyint(value);
    case DType::bool8:
      return value != 0 ? 1 : 0;
    case DType::float8_e4m3fn:
    case DType::float8_e5m2:
    case DType::residue64:
      break;
  }
  throw UserError(
      fmt::format("inputs of {} cannot be drawn; give float64, float32, bfloat16, float16 or an "
                  "integer dtype",
                  name_of(dtype)));
}

std::vector<double> input_values(const Point& point, const Input& input, size_t item, uint64_t variation) {
  const TensorSpec& spec = input.tensors.at(item);
  const Shape shape = spec.shape_at(point);
  const DType dtype = spec.dtype_at(point);
  const auto count = static_cast<size_t>(element_count(shape));
  std::vector<double> values;
  if (!spec.from.empty())
    values = stored_values(spec, point);
  else {
    const uint64_t row = shape.empty() || shape.back() == 0 ? 1 : static_cast<uint64_t>(shape.back());
    const Stream stream(fmt::format("{}/{}", input.name, item), point, variation);
    values.reserve(count);
    for (uint64_t i = 0; i < count; ++i)
      values.push_back(drawn(spec, stream, point, i, row));
  }
  for (double& value : values)
    value = rounded(dtype, value * spec.scale + spec.shift);
  return values;
}

std::vector<double> cotangent_values(const Point& point, const std::string& output, DType dtype,
                                     size_t count) {
  const Stream stream("gradient of " + output, point, 0);
  std::vector<double> values;
  values.reserve(count);
  for (uint64_t i = 0; i < count; ++i)
    values.push_back(rounded(dtype, stream.normal(i)));
  return values;
}

}  // namespace parity::operators
