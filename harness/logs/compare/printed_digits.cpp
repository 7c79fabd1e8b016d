// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/compare/printed_digits.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "harness/compare/text/wording.hpp"
#include "harness/logs/channel_names.hpp"

namespace parity::logs {
namespace {

constexpr int most_printed = 9, fewest_printed = 3;
constexpr size_t fewest_values = 3;

/// Returns the digits of the shortest decimal that reads back as the value.
PrintedDigits digits_of(double value) {
  std::array<char, 40> text{};
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), std::abs(value), std::chars_format::scientific);
  const std::string_view all(text.data(), static_cast<size_t>(end - text.data()));
  const size_t mark = all.find('e');
  int exponent = 0;
  std::from_chars(text.data() + mark + (all[mark + 1] == '+' ? 2 : 1), end, exponent);
  const int significant = mark == 1 ? 1 : static_cast<int>(mark) - 1;  // without the point
  return {significant, std::max(0, significant - 1 - exponent)};
}

int most_significant(std::span<const double> values) {
  int most = 0;
  for (const double value : values)
    if (std::isfinite(value))
      most = std::max(most, digits_of(value).significant);
  return most;
}

bool are_whole(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return value == std::floor(value); });
}

/// Returns the digits of a log's training results; nothing if one of them has all digits, or there is none.
std::optional<PrintedDigits> digits_of_results(const Log& log) {
  std::optional<PrintedDigits> most;
  for (const auto& [name, channel] : log.channels) {
    if (!is_training_result(name))
      continue;
    const std::optional<PrintedDigits> own = printed_digits(channel.values);
    if (!own)
      return std::nullopt;
    if (!most || own->significant > most->significant)
      most = own;
  }
  return most;
}

/// Returns the digits that a log printed a channel with; nothing for all.
std::optional<PrintedDigits> digits_of_channel(const Log& log, const std::string& channel) {
  if (is_training_result(channel))  // by itself: Hugging Face rounds the loss, and not grad_norm
    return printed_digits(log.channels.at(channel).values);
  const std::optional<PrintedDigits> results = digits_of_results(log);
  if (!results)
    return std::nullopt;
  const int own = most_significant(log.channels.at(channel).values);
  if (own > most_printed)
    return std::nullopt;
  return PrintedDigits{std::max(results->significant, own), most_printed + fewest_printed * most_printed};
}

}  // namespace

double PrintedDigits::half_unit(double printed) const {
  constexpr double slack = 1 + 1e-9;  // of the comparison itself
  const double fixed = 0.5 * std::pow(10.0, -decimals);
  if (printed == 0)
    return fixed * slack;
  const double place = std::floor(std::log10(std::abs(printed))) + 1 - significant;
  return std::max(fixed, 0.5 * std::pow(10.0, place)) * slack;
}

std::string PrintedDigits::text() const {
  return compare::count_text(static_cast<size_t>(significant), "significant digit");
}

std::optional<PrintedDigits> printed_digits(std::span<const double> values) {
  PrintedDigits most;
  size_t counted = 0;
  for (const double value : values) {
    if (!std::isfinite(value) || value == 0)
      continue;
    ++counted;
    const PrintedDigits own = digits_of(value);
    most.significant = std::max(most.significant, own.significant);
    most.decimals = std::max(most.decimals, own.decimals);
    if (most.significant > most_printed)
      return std::nullopt;
  }
  if (counted < fewest_values || most.significant < fewest_printed)
    return std::nullopt;
  return most;
}

int shown_digits(std::span<const double> values) {
  size_t counted = 0;
  int most = 0;
  for (const double value : values)
    if (std::isfinite(value) && value != 0) {
      ++counted;
      most = std::max(most, digits_of(value).significant);
    }
  return counted < fewest_values ? all_digits : most;
}

std::optional<CoarseSide> coarse_side(const Log& first, const Log& second, const std::string& channel) {
  const std::optional<PrintedDigits> a = digits_of_channel(first, channel);
  const std::optional<PrintedDigits> b = digits_of_channel(second, channel);
  const bool first_has_fewer = a && (!b || b->significant > a->significant);
  const bool second_has_fewer = b && (!a || a->significant > b->significant);
  if (!first_has_fewer && !second_has_fewer)
    return std::nullopt;
  const CoarseSide coarse{first_has_fewer, first_has_fewer ? *a : *b};
  const std::vector<double>& values = (first_has_fewer ? first : second).channels.at(channel).values;
  const bool whole = !is_training_result(channel) && are_whole(first.channels.at(channel).values) &&
                     are_whole(second.channels.at(channel).values);
  if (whole && most_significant(values) < coarse.digits.significant)
    return std::nullopt;
  return coarse;
}

std::vector<double> rounded_like(std::span<const double> coarse, std::span<const double> fine,
                                 const PrintedDigits& digits) {
  std::vector<double> values(fine.begin(), fine.end());
  for (size_t i = 0; i < values.size(); ++i)
    if (std::abs(values[i] - coarse[i]) <= digits.half_unit(coarse[i]))
      values[i] = coarse[i];
  return values;
}

}  // namespace parity::logs
