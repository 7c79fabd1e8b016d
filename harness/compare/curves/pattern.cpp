// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/curves/pattern.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "harness/compare/text/wording.hpp"

namespace parity::compare {
namespace {

constexpr int64_t largest_lag = 8;
constexpr double whole_tolerance = 1e-4;
constexpr double constant_tolerance = 1e-6;
constexpr double largest_whole = 1024;
constexpr double largest_whole_once = 64;

using Steps = std::vector<int64_t>;

Steps::const_iterator find_step(const Steps& steps, int64_t step, bool ascending) {
  if (!ascending)
    return std::ranges::find(steps, step);
  const auto place = std::ranges::lower_bound(steps, step);
  return place != steps.end() && *place == step ? place : steps.end();
}

/// \param ascending  whether the steps of `actual` ascend, so that a step is found fast
bool lag_fits(const Series& expected, const Series& actual, int64_t lag, bool ascending) {
  size_t pairs = 0;
  std::optional<size_t> first;
  bool moves = false;
  for (size_t i = 0; i < expected.size(); ++i) {
    const auto partner = find_step(actual.steps, expected.steps[i] + lag, ascending);
    if (partner == actual.steps.end())
      continue;
    if (!same_bits(expected, i, actual, static_cast<size_t>(partner - actual.steps.begin())))
      return false;
    first = first.value_or(i);
    moves = moves || !same_bits(expected, *first, expected, i);
    ++pairs;
  }
  return pairs >= 3 && moves;
}

/// Returns k with ratio = k or 1/k, within the tolerance.
void name_whole(CurveRatio& ratio, double largest) {
  const bool inverse = std::abs(ratio.value) < 1;
  const double factor = inverse ? 1 / ratio.value : ratio.value;
  const double k = std::round(factor);
  if (!(k >= 2 && k <= largest && std::abs(factor / k - 1) <= whole_tolerance))
    return;
  ratio.whole = static_cast<int64_t>(k);
  ratio.inverse = inverse;
}

std::string ratio_text(const CurveRatio& ratio) {
  if (ratio.whole == 0)
    return fmt::format("{:.6g} times", ratio.value);
  return ratio.inverse ? fmt::format("1/{} of", ratio.whole) : fmt::format("{} times", ratio.whole);
}

}  // namespace

std::optional<int64_t> find_lag(const Series& expected, const Series& actual) {
  const bool ascending = std::ranges::is_sorted(actual.steps);
  for (int64_t size = 1; size <= largest_lag; ++size)
    for (const int64_t lag : {size, -size})
      if (lag_fits(expected, actual, lag, ascending))
        return lag;
  return std::nullopt;
}

std::optional<CurveRatio> find_ratio(const Series& expected, const Series& actual) {
  std::vector<double> ratios;
  for (size_t i = 0; i < std::min(expected.size(), actual.size()); ++i) {
    const double e = expected.widened(i);
    const double a = actual.widened(i);
    if (e == 0 && a == 0)
      continue;
    const double ratio = a / e;
    if (!std::isfinite(ratio) || ratio == 0)
      return std::nullopt;
    ratios.push_back(ratio);
  }
  if (ratios.empty())
    return std::nullopt;
  const auto [low, high] = std::minmax_element(ratios.begin(), ratios.end());
  const double spread = (*high - *low) / std::abs(ratios.front());
  CurveRatio found{.value = ratios.front(), .pairs = ratios.size(), .every_step = spread <= whole_tolerance};
  name_whole(found, found.every_step ? largest_whole : largest_whole_once);
  if (!found.every_step)
    found.pairs = 1;
  if (found.whole != 0)
    return found;
  const bool constant = spread <= constant_tolerance && ratios.size() >= 3;
  return constant && std::abs(found.value - 1) > whole_tolerance ? std::optional(found) : std::nullopt;
}

std::string pattern_text(const std::string& channel, const std::string& expected_name,
                         const std::string& actual_name, const Series& expected, const Series& actual,
                         const SeriesDifference& difference) {
  if (difference.identical() || difference.types_differ)
    return "";
  if (channel == "batch_digest")
    return fmt::format("the arms trained on other batches from step {} on",
                       expected.steps.at(difference.first.value_or(0)));
  if (const auto lag = find_lag(expected, actual))
    return fmt::format("{} of {} {} {}'s by {} step{}, bit for bit", channel, actual_name,
                       *lag > 0 ? "lags" : "leads", expected_name, std::abs(*lag),
                       std::abs(*lag) == 1 ? "" : "s");
  if (const auto ratio = find_ratio(expected, actual)) {
    const std::string when = !ratio->every_step     ? fmt::format("at {}", steps_text({expected.steps.at(0)}))
                             : expected.size() == 1 ? "there"
                                                    : "at every step";
    return fmt::format("{} of {} is {} {}'s {} (ratio {:.6g})", channel, actual_name, ratio_text(*ratio),
                       expected_name, when, ratio->value);
  }
  return "";
}

}  // namespace parity::compare
