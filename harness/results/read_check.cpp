// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/results/read_check.hpp"

#include <algorithm>
#include <array>

#include "harness/results/json_members.hpp"
#include "harness/results/read_pictures.hpp"
#include "harness/results/verdict_names.hpp"

namespace parity::results {
namespace {

using Node = JsonNode;

std::vector<int64_t> integers_or_none(const Node& parent, const char* name) {
  return list(parent, name, [](const Node& item) { return item.integer(); });
}

std::optional<double> number_if(const Node& parent, const char* name) {
  const auto found = parent.find(name);
  return found ? std::optional(found->number()) : std::nullopt;
}

Json scalar_or_null(const Node& parent, const char* name) {
  const auto found = parent.find(name);
  if (!found)
    return nullptr;
  found->expect(found->json().is_primitive(), "a scalar");
  return found->json();
}

Place read_place(const Node& node) {
  Place place;
  place.step = integer_or(node, "step", 0);
  place.tensor = text_or(node, "tensor", text_or(node, "quantity"));
  place.index = integers_or_none(node, "index");
  if (const auto rank = node.find("rank"))
    place.rank = rank->integer();
  place.point = text_or(node, "point");
  return place;
}

/// Reads the values and the metric at the place.
void read_place_values(const Node& node, Finding& finding) {
  finding.expected = scalar_or_null(node, "expected");
  finding.actual = scalar_or_null(node, "actual");
  finding.metric = text_or(node, "metric");
  finding.value = scalar_or_null(node, "value");
  finding.limit = scalar_or_null(node, "limit");
}

Finding read_finding(const Node& node) {
  Finding finding;
  if (const auto where = node.find("where"))
    finding.where = read_place(*where);
  read_place_values(node, finding);
  if (const auto distance = node.find("distance"))
    finding.distance = {number_if(*distance, "ulp"), number_if(*distance, "relative"),
                        number_if(*distance, "floors")};
  finding.looks_like = text_or(node, "looks_like");
  finding.next = text_or(node, "next");
  finding.cause = text_or(node, "cause");
  finding.more = texts(node, "more");
  return finding;
}

/// Reads what a check of schema parity.results/1 has in place of `finding`.
Finding read_finding_of_1(const Node& check, const Json& measured) {
  Finding finding;
  if (const auto worst = check.find("worst")) {
    finding.where = read_place(*worst);
    read_place_values(*worst, finding);
  }
  finding.distance = distance_of(measured);
  finding.next = text_or(check, "command");
  finding.cause = text_or(check, "cause");
  return finding;
}

TensorRow read_tensor_row(const Node& node) {
  constexpr std::array own = {"step", "phase", "name", "identical"};
  TensorRow row;
  row.step = integer_or(node, "step", 0);
  row.phase = text_or(node, "phase");
  row.name = node.at("name").text();
  row.identical = flag_or(node, "identical", false);
  for (const auto& [name, value] : node.object().items())
    if (value.is_primitive() && !value.is_null() &&
        std::ranges::none_of(own, [&, key = name](const char* each) { return key == each; }))
      row.measured[name] = value;
  return row;
}

std::vector<double> numbers_by_step(const Node& parent, const char* name, size_t steps) {
  const Node node = parent.at(name);
  std::vector<double> values;
  for (const Node& item : node.items())
    values.push_back(item.number());
  node.expect(values.size() == steps, "as long as its steps (" + std::to_string(values.size()) +
                                          " values for " + std::to_string(steps) + " steps)");
  return values;
}

MeasuredBound read_bound(const Node& node) {
  MeasuredBound bound;
  bound.channel = node.at("channel").text();
  bound.words = text_or(node, "words", "its bound");
  bound.steps = integers_or_none(node, "steps");
  bound.gap = numbers_by_step(node, "gap", bound.steps.size());
  bound.floor = numbers_by_step(node, "floor", bound.steps.size());
  bound.limit = numbers_by_step(node, "limit", bound.steps.size());
  return bound;
}

CheckEvidence read_evidence(const Node& node) {
  CheckEvidence evidence;
  const Node source = node.at("source");
  const std::string name = source.text();
  source.expect(name == "measured" || name == "stored", "\"measured\" or \"stored\"");
  if (name == "measured")
    return evidence;
  evidence.source = CheckEvidence::Source::stored;
  evidence.date = node.at("date").text();
  evidence.producer = text_or(node, "producer");
  evidence.commit = text_or(node, "commit");
  evidence.environment = text_or(node, "environment");
  evidence.runs = texts(node, "runs");
  return evidence;
}

CoveredAmount read_amount(const Node& parent, const char* name) {
  const auto node = parent.find(name);
  return node ? CoveredAmount{integer_or(*node, "quantities", 0), text_or(*node, "steps"),
                              integer_or(*node, "values", 0)}
              : CoveredAmount();
}

SideCoverage read_side(const Node& node) {
  SideCoverage side;
  side.name = text_or(node, "name");
  if (const auto ranks = node.find("ranks")) {
    side.ranks_asked = integer_or(*ranks, "asked", 0);
    side.ranks_found = integer_or(*ranks, "found", 0);
  }
  side.asked = read_amount(node, "asked");
  side.found = read_amount(node, "found");
  side.compared = read_amount(node, "compared");
  return side;
}

CheckKind read_kind(const Node& parent) {
  const auto node = parent.find("kind");
  if (!node)
    return CheckKind::pair;
  const std::string name = node->text();
  node->expect(std::ranges::find(EnumNames<CheckKind>::names, name) != EnumNames<CheckKind>::names.end(),
               "a kind of check: '" + name + "'");
  return parse_enum<CheckKind>(name);
}

}  // namespace

std::string read_verdict(const JsonNode& parent) {
  const Node node = parent.at("verdict");
  const std::string name = node.text();
  node.expect(is_verdict(name), "a verdict: '" + name + "' (known: " + known_verdicts() + ")");
  return name;
}

Check read_check(const JsonNode& node) {
  Check check;
  check.id = node.at("id").text();
  check.kind = read_kind(node);
  check.quantity = node.at("quantity").text();
  check.arms = texts(node, "arms");
  check.against = text_or(node, "against", check.kind == CheckKind::golden ? "golden" : "arm");
  check.relation = node.at("relation").text();
  check.parameters = scalars_or_empty(node, "parameters");
  check.steps = text_or(node, "steps", "all");
  check.because = text_or(node, "because");
  check.passed = node.at("passed").flag();
  check.verdict = read_verdict(node);
  check.sentence = node.at("sentence").text();
  check.measured = scalars_or_empty(node, "measured");
  check.limit = scalars_or_empty(node, "limit");
  const auto finding = node.find("finding");
  check.finding = finding ? read_finding(*finding) : read_finding_of_1(node, check.measured);
  check.tensors = list(node, "tensors", read_tensor_row);
  check.bounds = list(node, "bounds", read_bound);
  if (const auto errors = node.find("errors"))
    check.errors = read_operator_errors(*errors);
  if (const auto picture = node.find("picture"))
    check.picture = read_tensor_picture(*picture);
  if (const auto evidence = node.find("evidence"))
    check.evidence = read_evidence(*evidence);
  if (const auto coverage = node.find("coverage"))
    check.coverage = {text_or(*coverage, "text"), list(*coverage, "sides", read_side)};
  check.line = integer_or(node, "line", 0);
  return check;
}

}  // namespace parity::results
