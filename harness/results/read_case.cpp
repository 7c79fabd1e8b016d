// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/results/read_case.hpp"

#include <algorithm>

#include "harness/results/json_members.hpp"
#include "harness/results/read_check.hpp"
#include "harness/results/read_pictures.hpp"

namespace parity::results {
namespace {

using Node = JsonNode;

/// Reads a list of numbers. Most of a file is such numbers, so only other values get a path for messages.
std::vector<Value> read_values(const Node& node, size_t steps) {
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
std::vector<Series> read_series(const Node& curve, const char* name, const std::vector<Arm>& arms,
                                size_t steps) {
  std::vector<Series> result;
  const auto node = curve.find(name);
  if (!node)
    return result;
  for (const auto& [key, unused] : node->object().items())
    node->at(key).expect(std::ranges::any_of(arms, [&, k = key](const Arm& arm) { return arm.name == k; }),
                         "the series of an arm of this case");
  for (const Arm& arm : arms)
    if (const auto found = node->find(arm.name))
      result.push_back({arm.name, read_values(*found, steps)});
  return result;
}

Curve read_curve(const Node& node, const std::vector<Arm>& arms) {
  Curve result;
  result.channel = node.at("channel").text();
  for (const Node& step : node.at("steps").items())
    result.steps.push_back(step.integer());
  const size_t steps = result.steps.size();
  node.at("series");
  result.series = read_series(node, "series", arms, steps);
  result.gap = read_series(node, "gap", arms, steps);
  result.golden = read_series(node, "golden", arms, steps);
  if (const auto floor = node.find("floor"))
    result.floor = read_values(*floor, steps);
  return result;
}

ArmStatus read_status(const Node& parent) {
  const Node node = parent.at("status");
  const std::string name = node.text();
  node.expect(name == "complete" || name == "skipped" || name == "failed",
              "\"complete\", \"failed\" or \"skipped\"");
  return name == "complete"  ? ArmStatus::complete
         : name == "skipped" ? ArmStatus::skipped
                             : ArmStatus::failed;
}

ArmFailure read_failure(const Node& node) {
  ArmFailure failure;
  failure.kind = failure_kind_of(text_or(node, "kind"));
  failure.message = node.at("message").text();
  failure.phase = text_or(node, "phase");
  failure.tensor = text_or(node, "tensor");
  if (const auto step = node.find("step"))
    failure.step = step->integer();
  return failure;
}

Arm read_arm(const Node& node) {
  Arm arm;
  arm.name = node.at("name").text();
  arm.run = text_or(node, "run");
  arm.twin = text_or(node, "twin");
  arm.trace = text_or(node, "trace");
  arm.cached = flag_or(node, "cached", false);
  arm.ranks = integer_or(node, "ranks", 1);
  arm.steps = integer_or(node, "steps", 0);
  arm.seconds = number_or(node, "seconds", 0);
  if (const auto rate = node.find("tokens_per_second"))
    arm.tokens_per_second = rate->number();
  arm.config = object_or_empty(node, "config");
  arm.provenance = object_or_empty(node, "provenance");
  arm.status = read_status(node);
  if (const auto failure = node.find("failure"))
    arm.failure = read_failure(*failure);
  if (arm.status != ArmStatus::complete && !arm.failure)
    arm.failure = ArmFailure{.message = "the run did not finish and left no reason"};
  arm.stderr_tail = text_or(node, "stderr_tail");
  return arm;
}

ConfigDifference read_difference(const Node& node) {
  ConfigDifference difference;
  difference.key = node.at("key").text();
  for (const auto& [arm, value] : node.at("values").object().items())
    difference.values.emplace_back(arm, value);
  return difference;
}

CaseTimes read_times(const Node& node) {
  return {number_or(node, "training", 0), number_or(node, "start", 0), number_or(node, "judging", 0),
          number_or(node, "waiting", 0)};
}

/// \throws UserError if a mask or bound names an arm that the case does not have
void expect_known_arms(const Node& node, const Case& item) {
  for (const MaskPicture& mask : item.masks)
    for (const std::string& name : mask.arms)
      if (!item.find_arm(name))
        node.fail(node.path() + ".masks names an arm '" + name + "' that the case does not have");
  for (size_t i = 0; i < item.checks.size(); ++i)
    for (const std::string& name : item.checks[i].arms)
      if (!item.checks[i].bounds.empty() && !item.find_arm(name))
        node.fail(node.path() + ".checks[" + std::to_string(i) + "].bounds is not of arms of this case");
}

/// \throws UserError if the case hides a failure
void expect_consistent(const Node& node, const Case& item) {
  for (const Check& each : item.checks)
    if (each.evidence && each.evidence->stored() && !each.passed)
      node.fail(node.path() + " has a check that failed on stored evidence: " + each.id +
                " (twins run if evidence is not valid)");
  if (item.passed && item.checks_failed() > 0)
    node.fail(node.path() + ".passed is true, but a check of " + item.name +
              " failed (a report must not hide it)");
  const bool any_failed = std::ranges::any_of(item.arms, &Arm::failed);
  if (!item.skipped.empty() && (item.passed || !item.checks.empty() || any_failed))
    node.fail(node.path() + ".skipped is set, but " + item.name +
              (item.passed  ? " passed"
               : any_failed ? " has an arm that failed"
                            : " has checks") +
              " (a case that was judged is not skipped)");
  const auto skipped = [](const Arm& arm) { return arm.status == ArmStatus::skipped; };
  if (item.skipped.empty() && std::ranges::any_of(item.arms, skipped))
    node.fail(node.path() + " has an arm that was skipped, but no reason why the case is skipped");
}

Case read(const Node& node) {
  Case item;
  item.name = node.at("name").text();
  item.file = text_or(node, "file");
  item.title = text_or(node, "title", item.name);
  item.question = text_or(node, "question");
  item.source = text_or(node, "source");
  item.tags = texts(node, "tags");
  item.passed = node.at("passed").flag();
  item.skipped = text_or(node, "skipped");
  item.verdict = read_verdict(node);
  item.sentence = text_or(node, "sentence");
  item.seconds = number_or(node, "seconds", 0);
  if (const auto times = node.find("time"))
    item.times = read_times(*times);
  item.notes = texts(node, "notes");
  if (const auto power = node.find("power"))
    item.power = {text_or(*power, "sentence"), text_or(*power, "arm"), flag_or(*power, "clean", false)};
  if (const auto calibration = node.find("calibration"))
    item.calibration = {text_or(*calibration, "command"), integer_or(*calibration, "runs", 0),
                        texts(*calibration, "kinds")};
  node.at("arms");
  item.arms = list(node, "arms", read_arm);
  item.reference = text_or(node, "reference", item.arms.empty() ? "" : item.arms.front().name);
  item.config_difference = list(node, "config_difference", read_difference);
  item.curves = list(node, "curves", [&](const Node& curve) { return read_curve(curve, item.arms); });
  item.masks = list(node, "masks", read_mask_picture);
  node.at("checks");
  item.checks = list(node, "checks", read_check);
  item.settings = texts(node, "settings");
  item.reproduce = text_or(node, "reproduce");
  item.judged_from = text_or(node, "judged_from");
  expect_known_arms(node, item);
  expect_consistent(node, item);
  return item;
}

}  // namespace

Case read_case(const Json& json, const std::string& path) {
  return read(Node(json, path));
}

}  // namespace parity::results
