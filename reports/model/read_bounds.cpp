// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/model/read_bounds.hpp"

#include <algorithm>
#include <map>

#include "reports/model/json_members.hpp"

namespace parity::reports {
namespace {

/// Returns numbers by step, in the order of the curve's steps.
std::vector<Value> placed(const JsonNode& node, const char* name, const std::vector<int64_t>& steps,
                          const Curve& curve) {
  const JsonNode list = node.at(name);
  const std::vector<JsonNode> items = list.items();
  list.expect(items.size() == steps.size(), "as long as its steps (" + std::to_string(items.size()) +
                                                " values for " + std::to_string(steps.size()) + " steps)");
  std::map<int64_t, double> values;
  for (size_t i = 0; i < items.size(); ++i)
    values[steps[i]] = items[i].number();
  std::vector<Value> result;
  for (const int64_t step : curve.steps)
    result.push_back(values.contains(step) ? Value(values[step]) : std::nullopt);
  return result;
}

void read_bound(const JsonNode& node, const Check& check, Case& item) {
  const std::string channel = node.at("channel").text();
  const auto curve = std::ranges::find(item.curves, channel, &Curve::channel);
  if (curve == item.curves.end() || check.arms.empty())
    return;
  Bound bound;
  bound.arms = check.arms;
  for (const std::string& arm : bound.arms)
    node.expect(std::ranges::find(item.arms, arm, &Arm::name) != item.arms.end(), "of arms of this case");
  bound.golden = check.against == "golden";
  bound.to_reference = !bound.golden && check.arms.size() == 2 && check.arms.front() == item.reference;
  bound.words = text_or(node, "words", "its bound");
  const bool known = std::ranges::any_of(curve->bounds, [&](const Bound& other) {
    return other.arms == bound.arms && other.golden == bound.golden;
  });
  if (known)
    return;
  const auto steps = list(node, "steps", [](const JsonNode& step) { return step.integer(); });
  bound.gap = placed(node, "gap", steps, *curve);
  bound.floor = placed(node, "floor", steps, *curve);
  bound.limit = placed(node, "limit", steps, *curve);
  curve->bounds.push_back(std::move(bound));
}

}  // namespace

void read_bounds(const JsonNode& node, Case& item) {
  const std::vector<JsonNode> checks = node.at("checks").items();
  for (size_t i = 0; i < checks.size(); ++i)
    if (const auto bounds = checks[i].find("bounds"))
      for (const JsonNode& bound : bounds->items())
        read_bound(bound, item.checks.at(i), item);
}

}  // namespace parity::reports
