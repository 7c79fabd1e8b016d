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

namespace {

constexpr size_t most_named = 3;

/// "lr.base" of "/lr/base".
std::string key_of(std::string pointer) {
  std::replace(pointer.begin(), pointer.end(), '/', '.');
  return pointer.substr(pointer.empty() ? 0 : 1);
}

/// "a (1) and b (2) are absent there": keys of one side that the other has not; "" if there is none.
std::string absent_text(const Json& has, const Json& lacks, const std::string& where) {
  std::vector<std::string> absent;
  for (const auto& [key, value] : has.items())
    if (!lacks.contains(key))
      absent.push_back(key_of(key) + " (" + value.dump() + ")");
  if (absent.empty())
    return "";
  const size_t count = absent.size();
  if (count > most_named)
    absent = {absent.front(), fmt::format("{} more", count - 1)};
  return fmt::format("{} {} absent {}", list_text(absent), count == 1 ? "is" : "are", where);
}

}  // namespace

std::string json_difference_text(const Json& before, const Json& after, const std::string& before_where,
                                 const std::string& after_where) {
  const Json old = before.flatten();
  const Json now = after.flatten();
  std::vector<std::string> parts;
  for (const auto& [key, value] : old.items())
    if (now.contains(key) && now.at(key) != value)
      parts.push_back(fmt::format("{} is {} {} and {} {}", key_of(key), value.dump(), before_where,
                                  now.at(key).dump(), after_where));
  if (parts.size() > most_named) {
    const size_t more = parts.size() - most_named;
    parts.resize(most_named);
    parts.push_back(fmt::format("{} more differ", more));
  }
  // Last: a trainer that has learnt new keys since then runs with their defaults, which change nothing.
  for (const std::string& absent : {absent_text(old, now, after_where), absent_text(now, old, before_where)})
    if (!absent.empty())
      parts.push_back(absent);
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
