// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/curves/series.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "harness/compare/text/wording.hpp"

namespace parity::compare {

double Series::widened(size_t i) const {
  return std::visit([i](const auto& list) { return static_cast<double>(list.at(i)); }, values);
}

bool Series::float32_valued() const {
  const auto* list = std::get_if<std::vector<double>>(&values);
  return list && std::all_of(list->begin(), list->end(), [](double value) {
           return static_cast<double>(static_cast<float>(value)) == value;  // false for a NaN
         });
}

std::string Series::text(size_t i, bool as_float32) const {
  if (const auto* list = std::get_if<std::vector<int64_t>>(&values))
    return std::to_string(list->at(i));
  return number_text(widened(i), as_float32);
}

bool same_bits(const Series& a, size_t i, const Series& b, size_t j) {
  if (a.integral() != b.integral())
    return false;
  if (a.integral())
    return std::get<1>(a.values).at(i) == std::get<1>(b.values).at(j);
  const double x = std::get<0>(a.values).at(i);
  const double y = std::get<0>(b.values).at(j);
  return !std::isnan(x) && std::bit_cast<uint64_t>(x) == std::bit_cast<uint64_t>(y);
}

double gap_between(const Series& a, size_t i, const Series& b, size_t j) {
  if (a.integral() != b.integral())
    return std::numeric_limits<double>::quiet_NaN();
  if (!a.integral())
    return std::abs(b.widened(j) - a.widened(i));
  const int64_t x = std::get<1>(a.values).at(i);
  const int64_t y = std::get<1>(b.values).at(j);
  const auto bits = [](int64_t value) { return static_cast<uint64_t>(value); };  // differences wrap around
  return static_cast<double>(x < y ? bits(y) - bits(x) : bits(x) - bits(y));
}

Series series_of(const trace::Channel& channel, const std::vector<int64_t>& steps,
                 const std::vector<int64_t>& wanted, std::vector<int64_t>* lacking) {
  Series series;
  std::visit(
      [&](const auto& list) {
        std::decay_t<decltype(list)> chosen;
        for (const int64_t step : wanted) {
          const auto found = std::find(steps.begin(), steps.end(), step);
          const auto position = static_cast<size_t>(found - steps.begin());
          if (position < list.size()) {
            series.steps.push_back(step);
            chosen.push_back(list[position]);
          } else if (lacking) {
            lacking->push_back(step);
          }
        }
        series.values = std::move(chosen);
      },
      channel.values);
  return series;
}

std::optional<int64_t> first_other_value(const trace::Trace& a, const trace::Trace& b,
                                         const std::string& channel, int64_t last) {
  const auto one = a.channels().find(channel), other = b.channels().find(channel);
  for (int64_t update = 1; update <= last; ++update) {
    if (one == a.channels().end() || other == b.channels().end())
      return update;
    const Series x = series_of(one->second, a.steps(), {update}),
                 y = series_of(other->second, b.steps(), {update});
    if (x.size() == 0 || y.size() == 0 || !same_bits(x, 0, y, 0))
      return update;
  }
  return std::nullopt;
}

}  // namespace parity::compare
