// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/search/record.hpp"

#include <algorithm>
#include <cmath>

#include "harness/base/error.hpp"
#include "harness/results/json_members.hpp"
#include "harness/results/read_pictures.hpp"

namespace parity::reports {
namespace {

using Node = results::JsonNode;

constexpr const char* schema = "parity.bisect/1";
constexpr const char* advice = "harness/bisect/README.md describes a record; run the search again";

std::vector<Value> read_values(const Node& node) {
  std::vector<Value> result;
  for (const Node& item : node.items())
    result.push_back(item.json().is_null() ? Value() : Value(item.number()));
  return result;
}

/// Returns |actual - expected|; 0 for equal infinities and for two NaN.
Value gap(const Value& expected, const Value& actual) {
  if (!expected || !actual)
    return std::nullopt;
  if (*expected == *actual || (std::isnan(*expected) && std::isnan(*actual)))
    return 0;
  return std::abs(*actual - *expected);
}

/// Returns the names of the sides, if the record has them.
std::pair<std::string, std::string> side_names(const Node& record) {
  const Node details = record.at("details");
  return {text_or(details, "expected", "expected"), text_or(details, "actual", "actual")};
}

Curve read_curve(const Node& node, const std::string& channel, const std::vector<int64_t>& steps,
                 const std::pair<std::string, std::string>& sides) {
  Curve result;
  result.channel = channel;
  result.steps = steps;
  result.series = {{sides.first, read_values(node.at("expected"))},
                   {sides.second, read_values(node.at("actual"))}};
  Series gaps = {sides.second, {}};
  for (Series& side : result.series)
    side.values.resize(steps.size());  // one side may have ended early
  for (size_t i = 0; i < steps.size(); ++i)
    gaps.values.push_back(gap(result.series[0].values[i], result.series[1].values[i]));
  result.gap = {gaps};
  return result;
}

std::vector<Curve> read_curves(const Node& details, const std::pair<std::string, std::string>& sides) {
  std::vector<Curve> result;
  for (const char* channel : {"loss", "grad_norm"})
    if (const auto node = details.find(channel)) {
      details.at("steps");
      const auto steps = list(details, "steps", [](const Node& item) { return item.integer(); });
      if (!steps.empty())
        result.push_back(read_curve(*node, channel, steps, sides));
    }
  return result;
}

Station station(const Node& node) {
  Station result{node.at("phase").text(), node.at("name").text(), node.at("differs").flag(), {}, {}};
  if (const auto relative = node.find("relative_l2"))
    result.relative = relative->number();
  return result;
}

std::optional<size_t> read_place(const std::vector<Station>& stations, const Node& named) {
  const std::string phase = text_or(named, "phase"), name = text_or(named, "name");
  const auto found = std::ranges::find_if(
      stations, [&](const Station& each) { return each.phase == phase && each.name == name; });
  return found == stations.end() ? std::nullopt
                                 : std::optional(static_cast<size_t>(found - stations.begin()));
}

std::optional<Depth> depth(const Node& details) {
  Depth result;
  result.stations = list(details, "path", station);
  if (result.stations.empty())
    return std::nullopt;
  result.first = read_place(result.stations, details);
  if (const auto grown = details.find("amplifier"))
    result.amplifier = read_place(result.stations, *grown);
  return result;
}

/// Marks the stations of an earlier stage that are computed wrongly themselves.
void mark_faults(std::vector<Stage>& stages) {
  Depth* depth = nullptr;
  for (Stage& stage : stages) {
    if (stage.depth)
      depth = &*stage.depth;
    if (depth == nullptr)
      continue;
    for (const Node& each : list(stage.details, "own", [](const Node& item) { return item; }))
      if (const auto place = read_place(depth->stations, each); place && !each.at("rounding").flag())
        if (const auto relative = each.find("relative_l2"))
          depth->stations[*place].alone = relative->number();
  }
}

Stage stage(const Node& node, const std::pair<std::string, std::string>& sides) {
  const Node details = node.at("details");
  Stage result{.name = node.at("name").text(),
               .answer = node.at("answer").text(),
               .command = text_or(node, "command"),
               .runs = integer_or(node, "runs", 0),
               .cached = integer_or(node, "cached", 0),
               .seconds = number_or(node, "seconds", 0),
               .curves = read_curves(details, sides),
               .depth = depth(details),
               .picture = std::nullopt,
               .details = details};
  if (const auto picture = details.find("picture"))
    result.picture = results::read_tensor_picture(*picture);
  return result;
}

}  // namespace

Search read_search(const Json& json) {
  const Node record(json, "", advice);
  const std::string found = text_or(record, "schema");
  if (found != schema)
    record.fail("the schema is '" + found + "' (a search's page is made from " + schema + ")");
  const Node effort = record.at("runs");
  Search result{.kind = record.at("kind").text(),
                .subject = record.at("subject").text(),
                .sentence = record.at("sentence").text(),
                .differs = record.at("differs").flag(),
                .runs = integer_or(effort, "executed", 0),
                .cached = integer_or(effort, "cached", 0),
                .notes = texts(record, "notes"),
                .stages = {},
                .details = record.at("details")};
  record.at("stages");
  const auto sides = side_names(record);
  result.stages = list(record, "stages", [&](const Node& item) { return stage(item, sides); });
  mark_faults(result.stages);
  for (const Stage& each : result.stages)
    result.seconds += each.seconds;
  return result;
}

}  // namespace parity::reports
