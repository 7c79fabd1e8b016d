// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/model/read_case.hpp"

#include <algorithm>

#include "harness/base/error.hpp"
#include "reports/model/json_members.hpp"
#include "reports/model/read_bounds.hpp"
#include "reports/model/verdicts.hpp"

namespace parity::reports {
namespace {

using Node = JsonNode;

std::string verdict(const Node& parent) {
  const Node node = parent.at("verdict");
  const std::string name = node.text();
  node.expect(find_verdict(name) != nullptr, "a verdict: '" + name + "' (known: " + verdict_names() + ")");
  return name;
}

/// Most values of a file are plain numbers. Only other values need their place, for messages.
std::vector<Value> values(const Node& node, size_t steps) {
  node.expect(node.json().is_array(), "a list");
  std::vector<Value> result;
  result.reserve(node.json().size());
  for (const Json& item : node.json())
    if (item.is_number())
      result.push_back(item.get<double>());
    else if (item.is_null())
      result.push_back(std::nullopt);
    else
      result.push_back(Node(item, node.path() + "[" + std::to_string(result.size()) + "]").number());
  node.expect(result.size() == steps, "as long as its curve's steps (" + std::to_string(result.size()) +
                                          " values for " + std::to_string(steps) + " steps)");
  return result;
}

/// Returns arm -> values, in the order of the case's arms.
std::vector<Series> series(const Node& curve, const char* name, const std::vector<Arm>& arms, size_t steps) {
  std::vector<Series> result;
  const auto node = curve.find(name);
  if (!node)
    return result;
  for (const auto& [key, unused] : node->object().items())
    node->at(key).expect(std::ranges::any_of(arms, [&, k = key](const Arm& arm) { return arm.name == k; }),
                         "the series of an arm of this case");
  for (const Arm& arm : arms)
    if (const auto found = node->find(arm.name))
      result.push_back({arm.name, values(*found, steps)});
  return result;
}

Curve curve(const Node& node, const std::vector<Arm>& arms) {
  Curve result;
  result.channel = node.at("channel").text();
  for (const Node& step : node.at("steps").items())
    result.steps.push_back(step.integer());
  const size_t steps = result.steps.size();
  node.at("series");
  result.series = series(node, "series", arms, steps);
  result.gap = series(node, "gap", arms, steps);
  result.golden = series(node, "golden", arms, steps);
  if (const auto floor = node.find("floor"))
    result.floor = values(*floor, steps);
  return result;
}

Arm arm(const Node& node) {
  Arm result;
  result.name = node.at("name").text();
  result.run = text_or(node, "run");
  result.trace = text_or(node, "trace");
  result.cached = flag_or(node, "cached", false);
  result.ranks = integer_or(node, "ranks", 1);
  result.seconds = number_or(node, "seconds", 0);
  result.steps = integer_or(node, "steps", 0);
  if (const auto rate = node.find("tokens_per_second"))
    result.tokens_per_second = rate->number();
  result.config = object_or_empty(node, "config");
  result.provenance = object_or_empty(node, "provenance");
  const Node status = node.at("status");
  result.complete = status.text() == "complete";
  result.skipped = status.text() == "skipped";
  status.expect(result.complete || result.skipped || status.text() == "failed",
                "\"complete\", \"failed\" or \"skipped\"");
  if (const auto failure = node.find("failure")) {
    result.failure_kind = text_or(*failure, "kind", "failed");
    result.failure = failure->at("message").text();
  }
  if (!result.complete && result.failure.empty())
    result.failure = "the run did not finish; it left no reason";
  result.stderr_tail = text_or(node, "stderr_tail");
  result.twin = text_or(node, "twin");
  return result;
}

ConfigDifference config_difference(const Node& node) {
  ConfigDifference result;
  result.key = node.at("key").text();
  for (const auto& [name, held] : node.at("values").object().items())
    result.values.emplace_back(name, held);
  return result;
}

Worst worst(const Node& node) {
  Worst result;
  result.step = integer_or(node, "step", 0);
  result.tensor = text_or(node, "tensor", text_or(node, "quantity"));
  result.index = list(node, "index", [](const Node& item) { return item.integer(); });
  for (const auto& [field, name] :
       {std::pair{&result.expected, "expected"}, std::pair{&result.actual, "actual"},
        std::pair{&result.value, "value"}, std::pair{&result.limit, "limit"}})
    if (const auto found = node.find(name)) {
      found->expect(found->json().is_primitive(), "a scalar");
      *field = found->json();
    }
  result.metric = text_or(node, "metric");
  return result;
}

TensorRow tensor_row(const Node& node) {
  TensorRow result;
  result.step = integer_or(node, "step", 0);
  result.phase = text_or(node, "phase");
  result.name = node.at("name").text();
  result.identical = flag_or(node, "identical", false);
  for (const auto& [name, held] : node.object().items())
    if (held.is_primitive() && !held.is_null() && name != "step" && name != "phase" && name != "name" &&
        name != "identical")
      result.measured[name] = held;
  return result;
}

Check check(const Node& node) {
  Check result;
  result.id = node.at("id").text();
  result.kind = text_or(node, "kind", "pair");
  result.quantity = node.at("quantity").text();
  result.arms = texts(node, "arms");
  result.against = text_or(node, "against", result.kind == "golden" ? "golden" : "arm");
  result.relation = node.at("relation").text();
  result.parameters = scalars_or_empty(node, "parameters");
  result.steps = text_or(node, "steps", "all");
  result.because = text_or(node, "because");
  result.passed = node.at("passed").flag();
  result.verdict = verdict(node);
  result.sentence = node.at("sentence").text();
  result.measured = scalars_or_empty(node, "measured");
  result.limit = scalars_or_empty(node, "limit");
  if (const auto place = node.find("worst"))
    result.worst = worst(*place);
  result.tensors = list(node, "tensors", tensor_row);
  if (const auto picture = node.find("picture"))
    result.picture = read_tensor_picture(*picture);
  if (const auto evidence = node.find("evidence"))
    result.evidence = read_check_evidence(*evidence);
  if (const auto coverage = node.find("coverage"))
    result.compared = text_or(*coverage, "text");
  result.command = text_or(node, "command");
  result.cause = text_or(node, "cause");
  result.line = integer_or(node, "line", 0);
  return result;
}

Case case_of(const Node& node) {
  Case result;
  result.name = node.at("name").text();
  result.file = text_or(node, "file");
  result.title = text_or(node, "title", result.name);
  result.question = text_or(node, "question");
  result.source = text_or(node, "source");
  result.tags = texts(node, "tags");
  result.passed = node.at("passed").flag();
  result.skipped = text_or(node, "skipped");
  result.verdict = verdict(node);
  result.sentence = text_or(node, "sentence");
  result.seconds = number_or(node, "seconds", 0);
  if (const auto times = node.find("time"))
    result.times = read_case_times(*times);
  result.notes = texts(node, "notes");
  if (const auto power = node.find("power"))
    result.power = text_or(*power, "sentence");
  node.at("arms");
  result.arms = list(node, "arms", arm);
  result.reference = text_or(node, "reference", result.arms.empty() ? "" : result.arms.front().name);
  result.config_difference = list(node, "config_difference", config_difference);
  result.curves = list(node, "curves", [&](const Node& item) { return curve(item, result.arms); });
  result.masks = list(node, "masks", read_mask_picture);
  for (const MaskPicture& mask : result.masks)
    for (const std::string& name : mask.arms)
      if (std::ranges::find(result.arms, name, &Arm::name) == result.arms.end())
        node.fail(node.path() + ".masks names an arm '" + name + "' that the case has not");
  node.at("checks");
  result.checks = list(node, "checks", check);
  read_bounds(node, result);
  if (const auto calibration = node.find("calibration"))
    result.calibration = {text_or(*calibration, "command"), integer_or(*calibration, "runs", 0),
                          texts(*calibration, "kinds")};
  result.reproduce = text_or(node, "reproduce");
  for (const Check& each : result.checks)
    if (each.evidence && each.evidence->stored() && !each.passed)
      node.fail(node.path() + " has a check that failed on stored evidence: " + each.id +
                " (twins run where evidence does not hold)");
  if (result.passed && result.checks_failed() > 0)
    node.fail(node.path() + ".passed is true, but a check of " + result.name +
              " failed (a report must not hide it)");
  const bool any_failed = std::ranges::any_of(result.arms, &Arm::failed);
  if (!result.skipped.empty() && (result.passed || !result.checks.empty() || any_failed))
    node.fail(node.path() + ".skipped is set, but " + result.name +
              (result.passed ? " passed"
               : any_failed  ? " has an arm that failed"
                             : " has checks") +
              " (a case that was judged is not skipped)");
  if (result.skipped.empty() && std::ranges::any_of(result.arms, &Arm::skipped))
    node.fail(node.path() + " has an arm that was skipped, and does not say why it is skipped itself");
  return result;
}

}  // namespace

Case read_case(const Json& json, const std::string& path) {
  return case_of(Node(json, path));
}

}  // namespace parity::reports
