// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/traces/compare_traces.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/json/number.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/glob.hpp"
#include "harness/base/text/nearest.hpp"
#include "harness/compare/sides/quantity.hpp"
#include "harness/compare/tensors/profile.hpp"
#include "harness/compare/text/policy.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/results/write_check.hpp"
#include "harness/trace/format/routes.hpp"

namespace parity::compare {
namespace {

bool ended_well(const trace::Trace& trace) {
  return trace.complete() && !trace.failure();
}

/// Returns why a trace is incomplete or not a valid result; "" for a run that ended well.
std::string unfinished_text(const std::string& name, const trace::Trace& trace) {
  if (ended_well(trace))
    return "";
  std::string text = fmt::format("the run of the {} {} (last update {}", name,
                                 trace.complete() ? "failed" : "did not end", trace.last_step());
  if (trace.failure())
    text += ": " + escape_for_terminal(trace.failure()->dump());
  return text + ")";
}

/// Returns the last step to compare. If unfinished runs are accepted, it is the last that both have complete.
int64_t last_step_for(const trace::Trace& a, const trace::Trace& b, const TraceFilter& filter) {
  int64_t last = std::numeric_limits<int64_t>::max();
  if (filter.partial)
    for (const trace::Trace* trace : {&a, &b})
      if (!ended_well(*trace))
        last = std::min(last, trace->last_step());
  return last;
}

std::vector<int64_t> wanted_steps(const trace::Trace& a, const trace::Trace& b, const TraceFilter& filter) {
  std::set<int64_t> all(a.steps().begin(), a.steps().end());
  all.insert(b.steps().begin(), b.steps().end());
  std::erase_if(all, [&](int64_t step) { return step > last_step_for(a, b, filter); });
  if (filter.step)
    return all.contains(*filter.step) ? std::vector{*filter.step} : std::vector<int64_t>{};
  return {all.begin(), all.end()};
}

bool matches_any(const std::vector<std::string>& patterns, const std::string& name) {
  return patterns.empty() || std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
           return glob_match(pattern, name);
         });
}

const trace::Channel* numeric(const trace::Trace& trace, const std::string& name) {
  const auto found = trace.channels().find(name);
  return found != trace.channels().end() && found->second.kind == trace::ChannelKind::numeric ? &found->second
                                                                                              : nullptr;
}

ChannelDifference compare_channel(const trace::Trace& a, const trace::Trace& b, const std::string& name,
                                  const std::vector<int64_t>& steps,
                                  const measure::DifferencePolicy& policy) {
  ChannelDifference row;
  row.name = name;
  const trace::Channel* expected = numeric(a, name);
  const trace::Channel* actual = numeric(b, name);
  if (!expected || !actual) {
    row.mismatch = expected ? "only in the first" : "only in the second";
    return row;
  }
  const std::set<int64_t> in_a(a.steps().begin(), a.steps().end());
  const std::set<int64_t> in_b(b.steps().begin(), b.steps().end());
  for (const int64_t step : steps)
    if (in_a.contains(step) && in_b.contains(step))
      row.steps.push_back(step);
  if (row.steps.empty()) {
    const bool first = std::ranges::any_of(steps, [&](int64_t step) { return in_a.contains(step); });
    row.mismatch = first ? "only the first has these updates" : "only the second has these updates";
    return row;
  }
  row.expected = series_of(*expected, a.steps(), row.steps);
  row.actual = series_of(*actual, b.steps(), row.steps);
  row.difference = measure_series(row.expected, row.actual, policy);
  return row;
}

std::vector<ChannelDifference> compare_channels(const trace::Trace& a, const trace::Trace& b,
                                                const TraceFilter& filter,
                                                const measure::DifferencePolicy& policy) {
  std::set<std::string> names;
  std::set<std::string> known;
  for (const trace::Trace* trace : {&a, &b})
    for (const auto& [name, channel] : trace->channels())
      if (channel.kind == trace::ChannelKind::numeric) {
        known.insert(name);
        if (matches_any(filter.channels, name))
          names.insert(name);
      }
  for (const std::string& pattern : filter.channels)
    if (std::none_of(names.begin(), names.end(), [&](const auto& name) { return glob_match(pattern, name); }))
      throw UserError("no channel is called '" + pattern + "'" +
                      suggestion(pattern, {known.begin(), known.end()}));
  const std::vector<int64_t> steps = wanted_steps(a, b, filter);
  std::vector<ChannelDifference> rows;
  if (steps.empty())  // the initial state has no channels
    return rows;
  for (const std::string& name : names)
    rows.push_back(compare_channel(a, b, name, steps, policy));
  return rows;
}

std::vector<TensorDifference> compare_tensors(const trace::Trace& a, const trace::Trace& b,
                                              const TraceFilter& filter, TensorDetail detail,
                                              const measure::DifferencePolicy& policy) {
  const std::vector<trace::TensorKey> keys_a = tensor_keys(a);
  const std::vector<trace::TensorKey> keys_b = tensor_keys(b);
  const std::set<trace::TensorKey> in_a(keys_a.begin(), keys_a.end());
  const std::set<trace::TensorKey> in_b(keys_b.begin(), keys_b.end());
  std::vector<trace::TensorKey> keys =
      keys_a;  // in order of execution; those that only the second has come last
  for (const trace::TensorKey& key : keys_b)
    if (!in_a.contains(key))
      keys.push_back(key);
  std::vector<TensorDifference> rows;
  std::set<std::string> known;
  for (const trace::TensorKey& key : keys) {
    known.insert(key.name);
    if ((filter.step && *filter.step != key.step) || key.step > last_step_for(a, b, filter) ||
        (filter.phase && *filter.phase != key.phase) || !matches_any(filter.tensors, key.name))
      continue;
    TensorDifference row{key, "", {}};
    if (!in_a.contains(key) || !in_b.contains(key))
      row.mismatch = in_a.contains(key) ? "only in the first" : "only in the second";
    else
      row.gap =
          measure_tensor(tensor_source(a, key), tensor_source(b, key), detail, policy, Proof::agreement);
    rows.push_back(std::move(row));
  }
  for (const std::string& pattern : filter.tensors)
    if (std::none_of(rows.begin(), rows.end(),
                     [&](const TensorDifference& row) { return glob_match(pattern, row.key.name); }))
      throw UserError("no tensor matches '" + pattern + "'" + (filter.step || filter.phase ? " there" : "") +
                      suggestion(pattern, {known.begin(), known.end()}));
  return rows;
}

/// Returns the steps of `trace` to compare.
std::vector<int64_t> steps_until(const trace::Trace& trace, const trace::Trace& other,
                                 const TraceFilter& filter) {
  std::vector<int64_t> steps = trace.steps();
  std::erase_if(steps, [&](int64_t step) { return step > last_step_for(trace, other, filter); });
  return steps;
}

/// Returns what to compare rank by rank: all that the filter selects and that does not already differ when
/// joined.
RankQuestion rank_question(const trace::Trace& a, const trace::Trace& b, const TraceFilter& filter,
                           const TraceDifference& found) {
  std::set<trace::TensorKey> tensors;
  for (const TensorDifference& row : found.tensors)
    if (!row.identical())
      tensors.insert(row.key);
  std::set<std::string> channels;
  for (const ChannelDifference& row : found.channels)
    if (!row.identical())
      channels.insert(row.name);
  const int64_t last = last_step_for(a, b, filter);
  return {[&filter, tensors](const trace::TensorKey& key) {
            return filter.wants_tensors() && (!filter.phase || *filter.phase == key.phase) &&
                   matches_any(filter.tensors, key.name) && !tensors.contains(key);
          },
          [&filter, channels](const std::string& name) {
            return filter.wants_channels() && matches_any(filter.channels, name) && !channels.contains(name);
          },
          [&filter, last](int64_t step) { return step <= last && (!filter.step || *filter.step == step); },
          found.policy};
}

/// Requires that each filter matches something.
/// \throws UserError if a filter matches nothing in either trace
void require_something(const TraceDifference& difference, const trace::Trace& a, const trace::Trace& b,
                       const TraceFilter& filter) {
  if (difference.channels.empty() && difference.tensors.empty())
    throw UserError(filter.step
                        ? fmt::format("neither trace has anything for update {}; the first ends with {}, the "
                                      "second with {}",
                                      *filter.step, a.last_step(), b.last_step())
                        : "the two traces hold nothing to compare",
                    ExitCode::missing);
  if (filter.phase && difference.tensors.empty())
    throw UserError(
        fmt::format("neither trace has a {} tensor{}; record it, or leave out --phase",
                    name_of(*filter.phase), filter.step ? fmt::format(" at update {}", *filter.step) : ""),
        ExitCode::missing);
}

template <class Rows>
size_t count_differing(const Rows& rows) {
  return static_cast<size_t>(
      std::count_if(rows.begin(), rows.end(), [](const auto& row) { return !row.identical(); }));
}

/// Returns how far the routes of experts agree that were compared; nothing if there are none.
std::optional<RouteAgreement> compare_routes(const trace::Trace& expected, const trace::Trace& actual,
                                             const std::vector<TensorDifference>& tensors) {
  std::vector<RoutePair> pairs;
  for (const TensorDifference& row : tensors)
    if (trace::is_routes(row.key) && expected.has_tensor(row.key) && actual.has_tensor(row.key))
      pairs.emplace_back(row.key, row.key);
  return pairs.empty() ? std::nullopt : std::optional(measure_routes(expected, actual, pairs));
}

}  // namespace

bool TraceDifference::agrees() const {
  return mismatch.empty() && differing_channels() == 0 && differing_tensors() == 0 &&
         ranks.differences.empty();
}

size_t TraceDifference::differing_channels() const {
  return count_differing(channels);
}

size_t TraceDifference::differing_tensors() const {
  return count_differing(tensors);
}

size_t TraceDifference::beyond_policy() const {
  return policy.strict() ? 0
                         : static_cast<size_t>(
                               std::count_if(tensors.begin(), tensors.end(), [](const TensorDifference& row) {
                                 return row.mismatch.empty() && !row.identical() && row.gap.differing < 0;
                               }));
}

Json TraceDifference::to_json() const {
  Json json = {{"schema", "parity.comparison/1"}, {"identical", identical()},
               {"policy", policy_json(policy)},   {"mismatch", mismatch},
               {"unfinished", unfinished},        {"last_step", last_step},
               {"channels", Json::array()},       {"tensors", Json::array()},
               {"ranks", Json::array()}};
  for (const ChannelDifference& row : channels) {
    Json entry = {{"name", row.name}, {"identical", row.identical()}, {"mismatch", row.mismatch}};
    entry["steps"] = row.steps;
    entry["measured"] = row.mismatch.empty() ? finite_json(row.difference.to_json()) : Json();
    for (size_t i = 0; i < row.steps.size(); ++i) {
      entry["expected"].push_back(json_number(row.expected.widened(i)));
      entry["actual"].push_back(json_number(row.actual.widened(i)));
    }
    json["channels"].push_back(entry);
  }
  for (const TensorDifference& row : tensors) {
    Json entry = row.mismatch.empty() ? results::to_json(row.gap.row(row.key))
                                      : Json{{"step", row.key.step},
                                             {"phase", name_of(row.key.phase)},
                                             {"name", row.key.name},
                                             {"identical", false}};
    if (!entry.contains("max_ulp") && row.mismatch.empty())
      entry["max_ulp"] = nullptr;
    entry["mismatch"] = row.mismatch.empty() ? row.gap.mismatch : row.mismatch;
    if (row.mismatch.empty() && !row.gap.identical)
      entry["measured"] = finite_json(row.gap.measured());
    if (row.gap.differing > 0) {
      entry["differing"] = row.gap.differing;
      entry["worst"] = row.gap.worst;
    }
    if (row.gap.profile)
      entry["profile"] = profile_json(*row.gap.profile);
    json["tensors"].push_back(entry);
  }
  if (routes)
    json["routes"] = routes->measured();
  for (const RankDifference& row : ranks.differences)
    json["ranks"].push_back({{"rank", row.rank},
                             {"step", row.step},
                             {"phase", row.phase ? Json(name_of(*row.phase)) : Json()},
                             {"name", row.name},
                             {"mismatch", row.what}});
  return json;
}

TraceDifference compare_traces(const trace::Trace& expected, const trace::Trace& actual,
                               const TraceFilter& filter, TensorDetail detail,
                               const measure::DifferencePolicy& policy) {
  TraceDifference difference;
  difference.policy = policy;
  difference.partial = filter.partial;
  difference.last_step = std::min(expected.last_step(), actual.last_step());
  const std::string first = unfinished_text("first", expected), second = unfinished_text("second", actual);
  difference.unfinished = first + (first.empty() || second.empty() ? "" : ", and ") + second;
  if (steps_until(expected, actual, filter) != steps_until(actual, expected, filter) && !filter.step)
    difference.mismatch =
        fmt::format("the first has {} updates (last {}), the second {} (last {})", expected.steps().size(),
                    expected.last_step(), actual.steps().size(), actual.last_step());
  if (filter.wants_channels())
    difference.channels = compare_channels(expected, actual, filter, policy);
  if (filter.wants_tensors())
    difference.tensors = compare_tensors(expected, actual, filter, detail, policy);
  difference.routes = compare_routes(expected, actual, difference.tensors);
  if (difference.mismatch.empty() && difference.differing_tensors() == 0 && difference.routes &&
      difference.routes->first)
    difference.mismatch = without_expert(*difference.routes, "the expected trace and the actual one");
  difference.ranks = compare_ranks(expected, actual, rank_question(expected, actual, filter, difference));
  require_something(difference, expected, actual, filter);
  return difference;
}

}  // namespace parity::compare
