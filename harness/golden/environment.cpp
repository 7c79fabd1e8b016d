// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/golden/environment.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "harness/compare/curves/series_difference.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/compare/twins/rounding_size.hpp"

namespace parity::golden {

namespace {

constexpr size_t most_named = 3;

/// Returns a JSON pointer as a config key: "lr.base" for "/lr/base".
std::string key_of(std::string pointer) {
  std::replace(pointer.begin(), pointer.end(), '/', '.');
  return pointer.substr(pointer.empty() ? 0 : 1);
}

/// Returns the members by their pointers. An empty object has none, although flatten() gives it one.
Json members_of(const Json& object) {
  return object.empty() ? Json::object() : object.flatten();
}

/// Returns "a (1) and b (2) are absent there", for keys that only one side has; "" if there are none.
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
  return fmt::format("{} {} absent {}", compare::list_text(absent), count == 1 ? "is" : "are", where);
}

}  // namespace

std::string json_difference_text(const Json& before, const Json& after, const std::string& before_where,
                                 const std::string& after_where) {
  const Json old = members_of(before);
  const Json now = members_of(after);
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
  // Absent keys come last: a trainer with new keys since then uses their defaults, which change nothing.
  for (const std::string& absent : {absent_text(old, now, after_where), absent_text(now, old, before_where)})
    if (!absent.empty())
      parts.push_back(absent);
  return compare::list_text(parts);
}

std::string config_difference_text(const GoldenArm& before, const GoldenArm& after,
                                   const std::string& before_where, const std::string& after_where) {
  if (before.given.is_null())
    return json_difference_text(before.config, after.config, before_where, after_where);
  return json_difference_text(before.known_config(), after.known_config(), before_where, after_where);
}

namespace {

/// Returns the distances of the golden's run and this one from each other and from their own twins.
compare::RoundingSize drift_size(const compare::SeriesPair& pair, const compare::SeriesPair& twin,
                                 const compare::PrecisionAllowance& allowance) {
  const compare::SeriesDifference twins = measure_series(twin.expected, twin.actual);
  compare::RoundingSize size;
  size.collapse = {measure_series(pair.expected, pair.actual).gap, twins.gap, twins.norm};
  size.distance_a = measure_series(twin.expected, pair.expected).gap;
  size.distance_b = measure_series(twin.actual, pair.actual).gap;
  size.model_a = size.model_b = compare::rounding_model(allowance.dtype);
  size.factor = allowance.factor;
  return size;
}

/// Returns why a gap that collapses is not drift.
std::string refusal_text(const compare::RoundingSize& size, const std::string& environment) {
  const compare::RoundingSizeRule rule;
  const std::string reason = rule.explain(size, "the golden", "this run");
  return rule.judge(size) == compare::Verdict::imprecise
             ? fmt::format("; the environment differs ({}) and the gap collapses in float64, but {}",
                           environment, reason)
             : fmt::format("; the environment differs ({}), but the float64 twins prove nothing: {}",
                           environment, reason);
}

}  // namespace

void judge_drift(compare::CheckResult& result, const compare::SeriesPair& pair,
                 const std::optional<compare::SeriesPair>& twin, const std::string& environment,
                 const compare::PrecisionAllowance& allowance) {
  const compare::SeriesDifference runs = measure_series(pair.expected, pair.actual);
  if (runs.integral || runs.nan_count > 0)
    return;
  if (!twin) {
    result.sentence += fmt::format(
        "; the environment differs ({}), but drift cannot be distinguished from a change without a float64 "
        "twin on both sides",
        environment);
    return;
  }
  const compare::CollapseRule rule;
  const compare::RoundingSize size = drift_size(pair, *twin, allowance);
  result.measured["collapse_log2"] = json_number(size.collapse.log2_ratio());
  result.measured["roundings_a"] = json_number(size.roundings_of_a());
  result.measured["roundings_b"] = json_number(size.roundings_of_b());
  result.limit = {{"collapse_log2", rule.needed_log2},
                  {"roundings_a", json_number(compare::RoundingSizeRule().limit_of_a(size))},
                  {"roundings_b", json_number(compare::RoundingSizeRule().limit_of_b(size))}};
  if (!rule.accepts(size.collapse)) {
    result.sentence += fmt::format("; the environment differs ({}), but that is not all: {}", environment,
                                   rule.explain(size.collapse));
    return;
  }
  const compare::Verdict by_size = compare::RoundingSizeRule().judge(size);
  if (by_size != compare::Verdict::rounding) {
    result.verdict = by_size;
    result.sentence += refusal_text(size, environment);
    return;
  }
  result.passed = true;
  result.verdict = compare::Verdict::drift;
  result.sentence += fmt::format("; this is drift: {}, and {}", environment, rule.explain(size.collapse));
}

}  // namespace parity::golden
