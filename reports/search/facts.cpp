// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/search/facts.hpp"

#include <algorithm>

#include "harness/results/json_members.hpp"
#include "reports/model/checks/label.hpp"
#include "reports/model/text.hpp"

namespace parity::reports {
namespace {

using Node = results::JsonNode;

constexpr size_t most_rows = 5000;
constexpr size_t longest_id = 10;  // of a commit

std::string joined_cells(const std::vector<std::string>& words, const char* none) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : ", ") + word;
  return text.empty() ? none : text;
}

/// Returns a value of a config as it is written; null is a key that one side lacks.
std::string setting(const Node& parent, const char* name) {
  const auto node = parent.find(name);
  return node ? json_text(node->json()) : "none";
}

std::string scalar_or(const Node& parent, const char* name, const char* none) {
  const auto node = parent.find(name);
  if (!node)
    return none;
  node->expect(node->json().is_primitive(), "a number or a string");
  return exact(node->json());
}

std::string describe_index(const Node& node) {
  std::string text;
  for (const Node& item : node.items())
    text += (text.empty() ? "" : ", ") + std::to_string(item.integer());
  return "[" + text + "]";
}

std::string describe_commit(const Node& node, const char* name) {
  return text_or(node, name).substr(0, longest_id);
}

/// Returns "lr at step 1, relative gap 0.62" for {"channel", "step", "relative_gap"}; "no gap" without a
/// channel.
std::string describe_gap(const Node& parent, const char* name) {
  const auto gap = parent.find(name);
  if (!gap || text_or(*gap, "channel").empty())
    return "no gap";
  return text_or(*gap, "channel") + " at step " + std::to_string(integer_or(*gap, "step", 0)) +
         ", relative gap " + brief(number_or(*gap, "relative_gap", 0));
}

FactTable key_table(const Stage& stage, const char* list_name, const char* good, const char* bad,
                    const std::vector<std::string>& heads) {
  FactTable table{"What differs between the configs", heads, {}, false};
  table.rows = list(stage.details, list_name, [&](const Node& key) {
    return std::vector{key.at("key").text(), setting(key, good), setting(key, bad)};
  });
  return table;
}

FactTable station_table(const Depth& depth) {
  FactTable table{"Table of the " + count(depth.stations.size(), "tensor"),
                  {"tensor", "phase", "bits", "relative L2"},
                  {},
                  true};
  const bool tells_alone =
      std::ranges::any_of(depth.stations, [](const Station& station) { return station.alone.has_value(); });
  if (tells_alone)
    table.heads.emplace_back("by itself");
  for (const Station& station : depth.stations) {
    if (table.rows.size() == most_rows) {
      table.title += ", the first " + std::to_string(most_rows);
      break;
    }
    table.rows.push_back({station.name, station.phase, station.differs ? "≠ differs" : "= identical",
                          station.relative ? brief(*station.relative) : "not known"});
    if (tells_alone)
      table.rows.back().push_back(station.alone ? brief(*station.alone) : "");
  }
  return table;
}

FactTable curve_table(const Curve& curve) {
  FactTable table{
      "Table of " + curve.channel, {"step", curve.series[0].arm, curve.series[1].arm, "gap"}, {}, true};
  const auto number = [](const Value& value) { return value ? exact(Json(*value)) : "none"; };
  for (size_t i = 0; i < std::min(curve.steps.size(), most_rows); ++i) {
    const Value& gap = curve.gap[0].values[i];
    table.rows.push_back({std::to_string(curve.steps[i]), number(curve.series[0].values[i]),
                          number(curve.series[1].values[i]), gap ? brief(*gap) : "none"});
  }
  return table;
}

FactTable tried_table(const Stage& stage) {
  FactTable table{"What was tried", {"switched on", "behaves like", "from the good side"}, {}, true};
  table.rows = list(stage.details, "answers", [](const Node& answer) {
    const std::string failure = text_or(answer, "failure");
    return std::vector{joined_cells(texts(answer, "on"), "nothing"), text_or(answer, "like"),
                       failure.empty() ? describe_gap(answer, "from_good") : failure};
  });
  return table;
}

FactTable asked_table(const Stage& stage) {
  FactTable table{"Commits that were asked", {"commit", "answer", "why", "seconds"}, {}, true};
  table.rows = list(stage.details, "asked", [](const Node& asked) {
    return std::vector{describe_commit(asked, "commit"), text_or(asked, "state"), text_or(asked, "reason"),
                       brief(number_or(asked, "seconds", 0))};
  });
  return table;
}

std::vector<std::string> culprit_keys(const Node& culprit) {
  const std::vector<std::string> keys = texts(culprit, "keys");
  const bool each = flag_or(culprit, "independent", false);
  return {joined_cells(keys, "nothing"), joined_cells(texts(culprit, "needs"), "nothing"),
          keys.size() == 1 ? "alone"
          : each           ? "each by itself"
                           : "only together",
          describe_gap(culprit, "gap")};
}

std::vector<std::string> culprit_commit(const Node& step) {
  std::string moved = text_or(step, "sentence");
  if (const auto first = step.find("first"))
    moved = scalar_or(*first, "quantity", "") + " at step " + scalar_or(*first, "step", "") + ": " +
            scalar_or(*first, "before", "none") + " to " + scalar_or(*first, "after", "none");
  const auto size = step.find("size");
  return {describe_commit(step, "commit"), text_or(step, "subject"), size ? brief(size->number()) : "",
          moved};
}

}  // namespace

std::vector<Fact> facts_of(const Stage& stage, const Search& search) {
  const Node& details = stage.details;
  std::vector<Fact> facts;
  const auto worst = details.find("worst");
  if (!worst)
    return facts;
  if (!worst->items().empty())
    facts.emplace_back("most at", describe_index(*worst));
  facts.emplace_back(text_or(search.details, "expected", "expected"), scalar_or(details, "expected", "none"));
  facts.emplace_back(text_or(search.details, "actual", "actual"), scalar_or(details, "actual", "none"));
  facts.emplace_back("elements that differ", scalar_or(details, "differing", "not known"));
  for (const char* name : {"token", "document"})
    if (details.find(name))
      facts.emplace_back(name, scalar_or(details, name, ""));
  Check measured;
  measured.measured = scalars_or_empty(details, "measured");
  for (const std::string& name : headline_metrics(measured, measured.measured.size()))
    facts.emplace_back(metric_label(name), brief(measured.measured[name]));
  return facts;
}

std::vector<FactTable> tables_of(const Stage& stage, const Search& search) {
  const std::string expected = text_or(search.details, "expected", "expected");
  const std::string actual = text_or(search.details, "actual", "actual");
  std::vector<FactTable> all = {
      key_table(stage, "keys", "expected", "actual", {"key", expected, actual}),
      key_table(stage, "differences", "good", "bad", {"key", "good side", "bad side"}), tried_table(stage),
      asked_table(stage)};
  for (const Curve& curve : stage.curves)
    all.push_back(curve_table(curve));
  if (stage.depth)
    all.push_back(station_table(*stage.depth));
  std::erase_if(all, [](const FactTable& table) { return table.rows.empty(); });
  return all;
}

FactTable culprits_of(const Search& search) {
  if (search.kind == "options")
    return {"What carries the difference",
            {"keys", "needs", "works", "apart in"},
            list(search.details, "culprits", culprit_keys),
            false};
  FactTable table{
      "Commits that move the numbers, the biggest first", {"commit", "subject", "size", "moves"}, {}, false};
  for (const Stage& stage : search.stages)
    if (search.kind == "commits" && stage.name == "step")
      table.rows.push_back(culprit_commit(stage.details));
  return table;
}

}  // namespace parity::reports
