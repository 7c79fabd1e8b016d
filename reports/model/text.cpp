// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/model/text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace parity::reports {
namespace {

bool continues(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

}  // namespace

std::string one_line(std::string_view text) {
  if (std::ranges::all_of(text, [](char byte) { return byte >= ' ' && byte <= '~'; }))
    return std::string(text);
  std::string result = escape_for_terminal(text);
  std::ranges::replace_if(result, [](char byte) { return byte == '\n' || byte == '\t'; }, ' ');
  return result;
}

size_t width_of(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char byte) { return !continues(byte); }));
}

std::string shorten(std::string_view text, size_t width) {
  std::string line = one_line(text);
  const size_t length = width_of(line);
  if (length <= width || width < 5)
    return line;
  const size_t tail = (width - 3) / 2;
  const size_t head = width - 3 - tail;
  std::string result;
  size_t position = 0;
  bool dots = false;
  for (const char byte : line) {
    position += continues(byte) ? 0 : 1;
    const bool keep = position <= head || position > length - tail;
    if (keep)
      result += byte;
    else if (!dots)
      result += "...";
    dots = dots || !keep;
  }
  return result;
}

std::string exact(const Json& scalar) {
  if (scalar.is_number_float())
    return fmt::format("{}", scalar.get<double>());
  if (scalar.is_string())
    return one_line(scalar.get<std::string>());
  return scalar.is_null() ? "none" : json_text(scalar);
}

std::string brief(double number) {
  const double beyond = number - 1;
  if (beyond != 0 && std::abs(beyond) < 1e-4)  // a cosine of 0.9999999 is not 1
    return fmt::format("1 {} {:.2g}", beyond < 0 ? "-" : "+", std::abs(beyond));
  return fmt::format("{:.4g}", number);
}

std::string brief(const Json& scalar) {
  constexpr double most_counted = 1e7;  // nobody reads 2459565876494607 ULP
  const bool large = scalar.is_number_integer() && std::abs(scalar.get<double>()) >= most_counted;
  return scalar.is_number_float() || large ? brief(scalar.get<double>()) : exact(scalar);
}

std::string duration(double seconds) {
  if (seconds < 1)
    return fmt::format("{:.0f} ms", seconds * 1000);
  if (seconds < 60)
    return fmt::format("{:.1f} s", seconds);
  if (!(seconds < 1e9))
    return fmt::format("{:g} s", seconds);
  const auto whole = static_cast<int64_t>(std::lround(seconds));
  return fmt::format("{} min {} s", whole / 60, whole % 60);
}

std::string count(size_t number, const std::string& noun, const std::string& plural) {
  return std::to_string(number) + " " + (number == 1 ? noun : plural.empty() ? noun + "s" : plural);
}

}  // namespace parity::reports
