// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/operators/judge/point_judge.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/operators/problem/exact_names.hpp"
#include "harness/operators/problem/values.hpp"

namespace parity::operators {
namespace {

using compare::Relation;
using compare::Verdict;

constexpr size_t most_kept = 4096;  // elements of another call's answer, which are repeated

trace::TensorKey key_of(size_t point, const PhaseAndName& tensor, const std::string& suffix = "") {
  return {static_cast<int64_t>(point + 1), tensor.first, tensor.second + suffix};
}

Obstacle lacks(const std::string& side, const PhaseAndName& tensor, const Point& point) {
  return {Verdict::missing,
          fmt::format("{} has no {} {} at {}", side, name_of(tensor.first), tensor.second, point.text())};
}

/// Returns the leading part of a tensor that has the shape of a smaller one; nothing if none has.
std::optional<Values> leading_part(const Values& whole, const Shape& shape) {
  if (shape.size() != whole.shape.size())
    return std::nullopt;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (shape[dim] > whole.shape[dim])
      return std::nullopt;
  Values part{whole.dtype, shape, {}};
  const auto count = static_cast<size_t>(element_count(shape));
  part.value.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const std::vector<int64_t> index = coordinates(shape, i);
    size_t place = 0;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      place = place * static_cast<size_t>(whole.shape[dim]) + static_cast<size_t>(index[dim]);
    part.value.push_back(whole.value[place]);
  }
  return part;
}

/// Returns whether an input's tensor has a dimension: "x", or "x.0" of a list.
bool input_has(const Problem& problem, const std::string& name, const std::string& symbol) {
  for (const Input& input : problem.inputs)
    for (size_t item = 0; item < input.tensors.size(); ++item)
      if (name == (input.list ? fmt::format("{}.{}", input.name, item) : input.name))
        return std::ranges::find(input.tensors[item].shape, symbol, &Size::symbol) !=
               input.tensors[item].shape.end();
  return false;
}

/// Returns whether a tensor must have been computed along an axis. Gradients of inputs without the rows, such
/// as weights, add over the rows, so their bits may depend on them. A single row has no neighbours.
bool has_rows(const Problem& problem, const Point& point, const PhaseAndName& tensor,
              const std::string& axis) {
  const std::string& symbol = axis == "padding" ? problem.length : problem.batch;
  if (tensor.first == trace::Phase::grad && !symbol.empty() && !input_has(problem, tensor.second, symbol))
    return false;
  const bool needs_two = axis == "position" || axis == "neighbours" || axis == "chunking";
  const auto size = point.sizes.find(symbol);
  return !needs_two || (size != point.sizes.end() && size->second >= 2);
}

}  // namespace

std::optional<Obstacle> PointJudge::judge(size_t point, const std::set<PhaseAndName>& tensors,
                                          Summary& summary) {
  outputs_.clear();
  inputs_.clear();
  for (const PhaseAndName& tensor : tensors)
    if (tensor.first == trace::Phase::forward)
      if (auto values = values_of(*traces_.arms.back().trace, key_of(point, tensor)))
        outputs_.push_back(std::move(values->value));
  for (const PhaseAndName& tensor : tensors) {
    const auto obstacle = check_.relation == Relation::invariant ? judge_variants(point, tensor, summary)
                                                                 : judge_sides(point, tensor, summary);
    if (obstacle)
      return obstacle;
  }
  return std::nullopt;
}

std::optional<Obstacle> PointJudge::judge_sides(size_t point, const PhaseAndName& tensor, Summary& summary) {
  const Point& place = problem_.points[point];
  std::vector<Values> arms, twins;
  for (const NamedTrace& side : traces_.arms)
    if (auto values = values_of(*side.trace, key_of(point, tensor)))
      arms.push_back(std::move(*values));
    else
      return lacks(side.name, tensor, place);
  const bool wants_twins = check_.needs_twins() && place.dtype != DType::float64;
  for (const NamedTrace& side : traces_.twins)
    if (auto values = wants_twins ? values_of(*side.trace, key_of(point, tensor)) : std::nullopt)
      twins.push_back(std::move(*values));
    else if (wants_twins)
      return lacks(side.name, tensor, place);
  TensorSides sides{place.dtype, traces_.arms.front().name, traces_.arms.back().name, &arms.front(),
                    &arms.back()};
  if (twins.size() == 2) {
    sides.a64 = &twins.front();
    sides.b64 = &twins.back();
  }
  std::optional<Values> exact, plain;
  if (traces_.exact && (check_.relation == Relation::accurate || twins.empty())) {
    exact = values_of(*traces_.exact->trace, key_of(point, tensor));
    plain = values_of(*traces_.exact->trace, key_of(point, tensor, plain_suffix));
    if (!exact)
      return lacks(traces_.exact->name, tensor, place);
    sides.exact = &*exact;
    sides.plain = plain ? &*plain : nullptr;
  }
  if (check_.relation == Relation::accurate)
    sides.a = sides.exact;
  const TensorJudgement judged = judge_tensor(check_, sides);
  summary.add(point, tensor, sides, judged);
  if (judged.passed)
    ask_controls(point, tensor, sides, summary);
  return std::nullopt;
}

std::optional<Obstacle> PointJudge::judge_variants(size_t point, const PhaseAndName& tensor,
                                                   Summary& summary) {
  const NamedTrace& arm = traces_.arms.front();
  const auto whole = values_of(*arm.trace, key_of(point, tensor));
  if (!whole)
    return lacks(arm.name, tensor, problem_.points[point]);
  for (size_t number = 0;; ++number) {
    const std::string suffix = fmt::format("@{}.{}", check_.of_operator->axis, number);
    const auto variant = values_of(*arm.trace, key_of(point, tensor, suffix));
    if (!variant && number == 0 &&
        has_rows(problem_, problem_.points[point], tensor, check_.of_operator->axis))
      return Obstacle{Verdict::missing,
                      fmt::format("{} computed no {} {} along {} at {}", arm.name, name_of(tensor.first),
                                  tensor.second, check_.of_operator->axis, problem_.points[point].text())};
    if (!variant)
      return std::nullopt;
    const auto part = leading_part(*whole, variant->shape);
    if (!part)
      return Obstacle{Verdict::missing,
                      fmt::format("{} of {} has a shape that no leading rows of it have, at {}",
                                  tensor.second + suffix, arm.name, problem_.points[point].text())};
    const TensorSides sides{problem_.points[point].dtype, arm.name, arm.name, &*part, &*variant};
    const TensorJudgement judged = judge_tensor(check_, sides);
    summary.add(point, tensor, sides, judged);
    if (judged.passed)
      ask_controls(point, tensor, sides, summary);
  }
}

ControlSources PointJudge::sources_of(size_t point, const PhaseAndName& tensor, const Values& right) {
  ControlSources sources;
  sources.is_gradient = tensor.first == trace::Phase::grad;
  sources.outputs = outputs_;
  const auto [place, is_new] = inputs_.try_emplace(right.size());
  if (is_new)
    for (const Input& input : problem_.inputs)
      for (size_t item = 0; item < input.tensors.size(); ++item)
        if (element_count(input.tensors[item].shape_at(problem_.points[point])) ==
            static_cast<int64_t>(right.size()))
          place->second.push_back(input_values(problem_.points[point], input, item));
  sources.inputs = place->second;
  if (const auto found = earlier_.find(tensor); found != earlier_.end())
    sources.other = found->second;
  else
    sources.other.assign(right.value.rbegin(), right.value.rend());  // of the reversed call
  std::vector<double>& kept = earlier_[tensor];
  kept.assign(right.value.begin(),
              right.value.begin() + static_cast<std::ptrdiff_t>(std::min(right.size(), most_kept)));
  return sources;
}

void PointJudge::ask_controls(size_t point, const PhaseAndName& tensor, const TensorSides& sides,
                              Summary& summary) {
  const ControlSources sources = sources_of(point, tensor, *sides.b);
  summary.controls().ask(
      sides, sources,
      fmt::format("{} {} at {}", name_of(tensor.first), tensor.second, problem_.points[point].text()));
}

}  // namespace parity::operators
