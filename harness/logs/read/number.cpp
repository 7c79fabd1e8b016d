// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/read/number.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace parity::logs {
namespace {

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+'))
    text.remove_prefix(1);
  if (text.starts_with("+") || text.starts_with("-+"))
    return std::nullopt;
  double value = 0;  // from_chars knows nan, inf and infinity in any case
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size())
    return value;
  return std::nullopt;
}

bool is_inexact_integer(std::string_view text) {
  text = trimmed(text);
  const std::optional<double> value = parse_number(text);
  return value && text.find_first_not_of("+-0123456789") == std::string_view::npos &&
         std::abs(*value) >= largest_exact;
}

std::optional<int64_t> step_of(double value) {
  if (!(value >= 0) || value >= largest_exact || value != std::floor(value))
    return std::nullopt;
  return static_cast<int64_t>(value);
}

}  // namespace parity::logs
