// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/read/number.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace parity::logs {
namespace {

/// Removes the commas between groups of three digits in front of a point or exponent. Returns "" if a comma
/// is elsewhere, as in "1,5".
std::string without_groups(std::string_view text) {
  constexpr size_t group = 4;  // three digits and a comma
  const size_t begin = text.starts_with('-') ? 1 : 0;
  const size_t end = std::min(text.find_first_of(".eE"), text.size());
  const std::string_view whole = text.substr(begin, end - begin);
  std::string plain(text.substr(0, begin));
  for (size_t i = 0; i < whole.size(); ++i)
    if (const bool comma_due = (whole.size() - i) % group == 0;
        comma_due != (whole[i] == ',') || (comma_due && i == 0))
      return "";
    else if (!comma_due)
      plain += whole[i];
  const std::string_view rest = text.substr(end);
  const bool other_comma = rest.find(',') != std::string_view::npos;
  return other_comma || whole.starts_with('0') ? "" : plain.append(rest);
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::optional<double> parse_number(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+'))
    text.remove_prefix(1);
  if (text.starts_with("+") || text.starts_with("-+"))
    return std::nullopt;
  const bool grouped = text.find(',') != std::string_view::npos;
  const std::string plain = grouped ? without_groups(text) : "";
  if (grouped)
    text = plain;
  double value = 0;  // from_chars knows nan, inf and infinity in any case
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size())
    return value;
  return std::nullopt;
}

std::optional<double> parse_percent(std::string_view text) {
  text = trimmed(text);
  if (!text.ends_with('%'))
    return std::nullopt;
  text.remove_suffix(1);
  return parse_number(text);
}

bool is_blank(std::string_view text) {
  constexpr std::array<std::string_view, 10> words = {"",     "NA",   "N/A",  "n/a", "<NA>",
                                                      "None", "null", "NULL", "-",   "--"};
  return std::ranges::find(words, trimmed(text)) != words.end();
}

bool is_inexact_integer(std::string_view text) {
  text = trimmed(text);
  const std::optional<double> value = parse_number(text);
  return value && text.find_first_not_of("+-,0123456789") == std::string_view::npos &&
         std::abs(*value) >= largest_exact;
}

std::optional<int64_t> step_of(double value) {
  if (!(value >= 0) || value >= largest_exact || value != std::floor(value))
    return std::nullopt;
  return static_cast<int64_t>(value);
}

}  // namespace parity::logs
