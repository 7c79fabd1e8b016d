// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/run/clip_sets.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/json/number.hpp"

namespace parity::laws {
namespace {

double order_of(const Json& call) {
  return call.contains("norm_type") ? number_of(call["norm_type"]) : 2;
}

std::set<std::string> names_of(const Json& call) {
  std::set<std::string> names;
  if (call.is_object() && call.contains("names") && call["names"].is_array())
    for (const Json& name : call["names"])
      if (name.is_string())
        names.insert(name.get<std::string>());
  return names;
}

/// Adds a call to the set that it clips.
/// \return whether its gradients are a new set, or exactly one before with a norm of the same order
bool add_call(const Json& call, ClipSets& sets) {
  const std::set<std::string> names = names_of(call);
  if (names.empty())
    return false;
  const double max_norm = number_of(call.value("max_norm", Json()));
  for (ClipSet& other : sets.list) {
    if (other.names == names) {
      other.max_norms.push_back(max_norm);
      return other.order == order_of(call);
    }
    if (std::ranges::any_of(names, [&](const std::string& name) { return other.names.contains(name); }))
      return false;
  }
  const std::string channel = sets.list.empty() ? "grad_norm" : fmt::format("grad_norm.{}", sets.list.size());
  sets.list.push_back({names, {max_norm}, order_of(call), channel});
  return true;
}

/// Returns the sets that calls clip, by what they were given.
ClipSets read_sets(const RecordedRun& run, const Json& clip) {
  ClipSets sets;
  if (clip.is_null())
    sets.problem = "the run clips by limits that change, and not all of them were recorded";
  sets.has_calls = clip.contains("calls") && clip["calls"].is_array() && !clip["calls"].empty();
  if (!sets.has_calls) {
    sets.list.push_back({{}, {}, order_of(clip), "grad_norm"});
    if (run.has_channel("grad_norm.1"))
      sets.problem = "the run clips several sets of gradients, and which these are was not recorded";
    return sets;
  }
  if (run.trace().ranks() > 1 || run.trace().joined_ranks() > 1)
    sets.problem = "the run clips several sets of gradients on several ranks";
  for (const Json& call : clip["calls"])
    if (!add_call(call, sets)) {
      sets.problem =
          "the run clips some gradients again by another norm, and those between were not recorded";
      break;
    }
  return sets;
}

}  // namespace

bool clips_by_value(const RecordedRun& run, int64_t step) {
  const Json& clip = run.clip(step);
  return clip.is_object() && clip.contains("value");
}

std::vector<ClipPeriod> clip_periods(const RecordedRun& run) {
  std::vector<ClipPeriod> periods;
  const Json* before = nullptr;
  for (const int64_t step : run.steps()) {
    const Json& clip = run.clip(step);
    if (&clip != before) {
      ClipPeriod next;
      next.calls = clip;
      next.sets = read_sets(run, clip);
      next.by_norm = clip.is_object() && clip.contains("max_norm");
      next.by_value = clips_by_value(run, step);
      periods.push_back(std::move(next));
    }
    before = &clip;
    periods.back().steps.push_back(step);
  }
  return periods;
}

}  // namespace parity::laws
