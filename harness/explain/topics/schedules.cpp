// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "harness/compare/curves/pattern.hpp"
#include "harness/compare/curves/series_difference.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/explain/topic.hpp"

namespace parity::explain {
namespace {

using compare::Series;

/// Returns the values of a channel at the steps that both runs have.
std::optional<Series> at_steps(const Recipe& recipe, const std::string& name,
                               const std::vector<int64_t>& steps) {
  const auto found = recipe.trace().channels().find(name);
  if (found == recipe.trace().channels().end())
    return std::nullopt;
  return compare::series_of(found->second, recipe.run().steps(), steps);
}

bool is_flat(const Series& series) {
  for (size_t i = 1; i < series.size(); ++i)
    if (!compare::same_bits(series, 0, series, i))
      return false;
  return true;
}

/// Compares a setting that changes over the run: its first difference, and the mistake that explains it.
void compare_curve(Finding& found, const std::string& name, const Series& first, const Series& second) {
  const auto difference = compare::measure_series(first, second);
  if (difference.identical()) {
    found.same.push_back(fmt::format("{} {}", name, compare::over_text(first.steps)));
    return;
  }
  const size_t i = *difference.first;
  Row row{fmt::format("{}, first at update {} ({} of {} differ)", name, first.steps[i], difference.differing,
                      difference.count),
          first.text(i),
          second.text(i),
          compare::pattern_text(name, "the first run", "the second run", first, second, difference),
          {"lr."}};
  if (name.starts_with("weight_decay"))
    row.keys = {"optimizer.weight_decay", "optimizer.weight_decay_ramp", "optimizer.weight_decay_start",
                "lr."};
  found.rows.push_back(std::move(row));
}

}  // namespace

Finding compare_schedules(const Recipe& first, const Recipe& second) {
  Finding found;
  std::vector<int64_t> steps;
  std::ranges::set_intersection(first.run().steps(), second.run().steps(), std::back_inserter(steps));
  size_t rates = 0;
  for (const auto& [name, channel] : first.trace().channels()) {
    const bool is_rate = name == "lr" || name.starts_with("lr.");
    if (!is_rate && !name.starts_with("weight_decay"))
      continue;
    const auto a = at_steps(first, name, steps), b = at_steps(second, name, steps);
    if (!b || steps.empty())
      continue;
    rates += is_rate ? 1 : 0;
    // The optimizer's topic states a weight decay that does not change.
    if (is_rate || !is_flat(*a) || !is_flat(*b))
      compare_curve(found, name, *a, *b);
  }
  if (rates == 0)
    found.unknown.push_back("learning rate (record the channel lr)");
  return found;
}

}  // namespace parity::explain
