// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/golden/environment.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "harness/compare/collapse.hpp"
#include "harness/compare/series_difference.hpp"
#include "harness/compare/wording.hpp"

namespace parity {

std::string json_difference_text(const Json& before, const Json& after, const std::string& before_where,
                                 const std::string& after_where) {
  constexpr size_t most = 3;
  const Json old = before.flatten();
  const Json now = after.flatten();
  std::vector<std::string> parts;
  const auto add = [&](std::string pointer, const std::string& left, const std::string& right) {
    std::replace(pointer.begin(), pointer.end(), '/', '.');
    parts.push_back(fmt::format("{} is {} {} and {} {}", pointer.substr(pointer.empty() ? 0 : 1), left,
                                before_where, right, after_where));
  };
  for (const auto& [key, value] : old.items())
    if (!now.contains(key))
      add(key, value.dump(), "absent");
    else if (now.at(key) != value)
      add(key, value.dump(), now.at(key).dump());
  for (const auto& [key, value] : now.items())
    if (!old.contains(key))
      add(key, "absent", value.dump());
  if (parts.size() > most) {
    const size_t more = parts.size() - most;
    parts.resize(most);
    parts.push_back(fmt::format("{} more differ", more));
  }
  return list_text(parts);
}

void judge_drift(CheckResult& result, const SeriesPair& pair, const std::optional<SeriesPair>& twin,
                 const std::string& environment) {
  const SeriesDifference runs = measure_series(pair.expected, pair.actual);
  if (runs.integral || runs.nan_count > 0)
    return;
  if (!twin) {
    result.sentence += fmt::format(
        "; the environment differs ({}), but without the float64 twin on both sides drift "
        "cannot be told from a change",
        environment);
    return;
  }
  const CollapseRule rule;
  const SeriesDifference twins = measure_series(twin->expected, twin->actual);
  const Collapse collapse{runs.gap, twins.gap, twins.norm};
  result.measured["collapse_log2"] = json_number(collapse.log2_ratio());
  result.limit = {{"collapse_log2", rule.needed_log2}};
  if (!rule.accepts(collapse)) {
    result.sentence += fmt::format("; the environment differs ({}), but that is not all: {}", environment,
                                   rule.explain(collapse));
    return;
  }
  result.passed = true;
  result.verdict = Verdict::drift;
  result.sentence += fmt::format("; this is drift: {}, and {}", environment, rule.explain(collapse));
}

}  // namespace parity
