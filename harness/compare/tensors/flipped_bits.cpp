// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/tensors/flipped_bits.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/measure/lanes/mix.hpp"

namespace parity::compare {
namespace {

/// Number of bits of a type's fraction.
int fraction_bits(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return 52;
    case DType::float32:
      return 23;
    case DType::float16:
      return 10;
    case DType::bfloat16:
      return 7;
    case DType::float8_e4m3fn:
      return 3;
    case DType::float8_e5m2:
      return 2;
    default:
      return 0;
  }
}

std::string_view field_of(DType dtype, int bit) {
  if (!is_floating(dtype))
    return "";
  const int sign = static_cast<int>(8 * size_of(dtype)) - 1;
  return bit == sign ? "sign" : bit >= fraction_bits(dtype) ? "exponent" : "fraction";
}

uint64_t bits_at(const TensorView& view, int64_t index) {
  uint64_t bits = 0;  // little-endian, as traces are
  const size_t width = size_of(view.dtype);
  std::memcpy(&bits, static_cast<const std::byte*>(view.data) + static_cast<size_t>(index) * width, width);
  return bits;
}

/// Returns runs of numbers: "0-2", "23".
std::vector<std::string> runs_of(const std::vector<int>& numbers) {
  std::vector<std::string> runs;
  for (size_t i = 0; i < numbers.size();) {
    size_t end = i;
    while (end + 1 < numbers.size() && numbers[end + 1] == numbers[end] + 1)
      ++end;
    runs.push_back(i == end ? std::to_string(numbers[i]) : fmt::format("{}-{}", numbers[i], numbers[end]));
    i = end + 1;
  }
  return runs;
}

void count(FlippedBits& found, int64_t index, uint64_t flipped) {
  ++found.elements;
  if (found.first < 0)
    found.first = index;
  for (size_t bit = 0; bit < found.flips.size(); ++bit)
    found.flips[bit] += static_cast<int64_t>((flipped >> bit) & 1);
}

}  // namespace

std::string FlippedBits::text() const {
  std::vector<int> bits;
  std::vector<std::string_view> fields;
  for (size_t bit = 0; bit < flips.size(); ++bit) {
    if (flips[bit] == 0)
      continue;
    bits.push_back(static_cast<int>(bit));
    const std::string_view field = field_of(dtype, static_cast<int>(bit));
    if (!field.empty() && std::ranges::find(fields, field) == fields.end())
      fields.push_back(field);
  }
  return fmt::format("{} of {} elements, {} {}, bit{} {}{}", elements, count,
                     elements == 1 ? "element" : "first", first, bits.size() == 1 ? "" : "s",
                     fmt::join(runs_of(bits), ", "),
                     fields.empty() ? "" : fmt::format(" ({})", fmt::join(fields, ", ")));
}

FlippedBits flipped_bits(const TensorView& expected, const TensorView& actual) {
  require(expected.dtype == actual.dtype && expected.shape == actual.shape,
          "bits of tensors of different types or shapes");
  FlippedBits found{expected.dtype, expected.size()};
  for (int64_t i = 0; i < found.count; ++i)
    if (const uint64_t flipped = bits_at(expected, i) ^ bits_at(actual, i); flipped != 0)
      count(found, i, flipped);
  return found;
}

std::optional<FlippedBits> find_flipped_bit(const TensorView& expected, const measure::Digest& actual,
                                            uint64_t first_index) {
  const measure::Digest known = measure::digest_of(expected, first_index);
  const uint64_t low = actual.low - known.low, high = actual.high - known.high;
  if (low == 0 && high == 0)
    return std::nullopt;
  const size_t width = 8 * size_of(expected.dtype);
  for (int64_t i = 0; i < expected.size(); ++i) {
    const uint64_t key = (first_index + static_cast<uint64_t>(i) + 1) * measure::index_factor;
    const uint64_t bits = bits_at(expected, i);
    const measure::Mixed was = measure::mix_element(bits, key);
    for (size_t bit = 0; bit < width; ++bit) {
      const measure::Mixed is = measure::mix_element(bits ^ (uint64_t{1} << bit), key);
      if (is.low - was.low != low || is.high - was.high != high)
        continue;
      FlippedBits found{expected.dtype, expected.size()};
      count(found, i, uint64_t{1} << bit);
      return found;
    }
  }
  return std::nullopt;
}

}  // namespace parity::compare
