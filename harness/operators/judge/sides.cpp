// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/operators/judge/sides.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/text/glob.hpp"
#include "harness/operators/problem/values.hpp"

namespace parity::operators {
namespace {

using compare::Verdict;

std::optional<Obstacle> crash_of(const std::string& name, const compare::ArmEvidence& arm) {
  if (arm.ended_well())
    return std::nullopt;
  return Obstacle{Verdict::crashed, !arm.failure.empty() ? arm.failure : name + " did not finish"};
}

/// Returns why a trace is not one of this sweep: another table of points, or points that it lacks.
std::optional<Obstacle> gap_of(const NamedTrace& side, const Problem& problem) {
  const Json& config = side.trace->config();
  const auto place = Json::json_pointer("/operator/problem");
  if (!config.is_object() || !config.contains(place) || config.at(place) != problem.to_json())
    return Obstacle{Verdict::missing,
                    fmt::format("the trace of {} is not of this sweep (its config names other "
                                "points or inputs); run it again",
                                side.name)};
  const std::vector<int64_t>& steps = side.trace->steps();
  for (size_t point = 0; point < problem.points.size(); ++point)
    if (!std::ranges::binary_search(steps, static_cast<int64_t>(point + 1)))
      return Obstacle{Verdict::missing,
                      fmt::format("{} has no result at {}", side.name, problem.points[point].text())};
  return std::nullopt;
}

/// Returns the names of an input's tensors in traces: "x", or "x.0", "x.1" of a list.
std::vector<std::string> names_of_input(const Input& input) {
  std::vector<std::string> names;
  for (size_t item = 0; item < input.tensors.size(); ++item)
    names.push_back(input.list ? fmt::format("{}.{}", input.name, item) : input.name);
  return names;
}

/// Returns where two arms had different inputs, or where one recorded none.
std::optional<Obstacle> other_inputs(const NamedTrace& a, const NamedTrace& b, const Problem& problem) {
  for (size_t point = 0; point < problem.points.size(); ++point)
    for (const Input& input : problem.inputs)
      for (const std::string& name : names_of_input(input)) {
        const trace::TensorKey key{static_cast<int64_t>(point + 1), trace::Phase::input, name};
        const trace::SketchRow *one = a.trace->find_sketch(key), *other = b.trace->find_sketch(key);
        if (one == nullptr || other == nullptr)
          return Obstacle{Verdict::missing,
                          fmt::format("{} did not record its input {} at {}",
                                      one == nullptr ? a.name : b.name, name, problem.points[point].text())};
        if (!(one->digest == other->digest))
          return Obstacle{Verdict::missing, fmt::format("{} and {} had different inputs {} at {}", a.name,
                                                        b.name, name, problem.points[point].text())};
      }
  return std::nullopt;
}

std::optional<Obstacle> add_arm(const std::string& name, const compare::ArmEvidence& arm,
                                const Problem& problem, CheckTraces& traces) {
  if (auto crash = crash_of(name, arm))
    return crash;
  traces.arms.push_back({name, arm.trace});
  if (arm.twin != nullptr)
    traces.twins.push_back({name + "'s float64 twin", arm.twin});
  if (auto gap = gap_of(traces.arms.back(), problem))
    return gap;
  return arm.twin != nullptr ? gap_of(traces.twins.back(), problem) : std::nullopt;
}

}  // namespace

std::optional<Obstacle> find_traces(const compare::Check& check, const Problem& problem,
                                    const std::map<std::string, compare::ArmEvidence>& arms,
                                    CheckTraces& traces) {
  for (const std::string& name : check.arms)
    if (auto obstacle = add_arm(name, arms.at(name), problem, traces))
      return obstacle;
  if (traces.twins.size() != traces.arms.size())
    traces.twins.clear();
  for (size_t i = 1; i < traces.arms.size(); ++i)
    if (auto obstacle = other_inputs(traces.arms.front(), traces.arms[i], problem))
      return obstacle;
  const std::string& exact = check.of_operator->exact;
  if (exact.empty())
    return std::nullopt;
  const compare::ArmEvidence& reference = arms.at(exact);
  if (auto crash = crash_of(exact, reference))
    return crash;
  traces.exact = NamedTrace{exact, reference.trace};
  if (auto gap = gap_of(*traces.exact, problem))
    return gap;
  return other_inputs(traces.arms.front(), *traces.exact, problem);
}

bool is_variant(const std::string& name) {
  return name.find('@') != std::string::npos;
}

std::vector<std::set<PhaseAndName>> tensors_by_point(const compare::Check& check, const Problem& problem,
                                                     const CheckTraces& traces) {
  const compare::OperatorClaim& claim = *check.of_operator;
  std::vector<std::set<PhaseAndName>> found(problem.points.size());
  for (const NamedTrace& side : traces.arms)
    for (const trace::TensorKey& key : side.trace->tensors())
      if (key.step >= 1 && key.step <= static_cast<int64_t>(found.size()) && !is_variant(key.name) &&
          std::ranges::find(claim.phases, key.phase) != claim.phases.end() &&
          glob_match(check.tensor, key.name))
        found[static_cast<size_t>(key.step) - 1].emplace(key.phase, key.name);
  return found;
}

}  // namespace parity::operators
