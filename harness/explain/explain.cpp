// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/explain/explain.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "harness/compare/text/wording.hpp"

namespace parity::explain {
namespace {

/// In the order in which a person should read them. `config` has the keys that explain no row of another
/// topic.
constexpr std::array<Topic, 9> topics = {{
    {"weights", compare_weights},
    {"data", compare_batches},
    {"optimizer", compare_optimizers},
    {"schedule", compare_schedules},
    {"clipping", compare_clipping},
    {"operators", compare_operators},
    {"layout", compare_layouts, Role::layout},
    {"config", compare_configs},
    {"environment", compare_environments, Role::environment},
}};

bool states(const std::string& stated, const std::string& key) {
  return stated == key || (stated.ends_with('.') && key.starts_with(stated));
}

/// Moves the config keys that differ to the rows which they explain. Each key then appears once.
void settle_keys(std::vector<Explanation::Part>& parts) {
  const auto config =
      std::ranges::find_if(parts, [](const auto& part) { return part.topic->name == "config"; });
  std::set<std::string> settled;
  for (Explanation::Part& part : parts)
    for (Row& row : part.finding.rows) {
      std::vector<std::string> stated;
      std::swap(stated, row.keys);
      for (const Row& key : config->finding.rows)
        if (std::ranges::any_of(stated, [&](const std::string& item) { return states(item, key.what); }) &&
            settled.insert(key.what).second)
          row.keys.push_back(fmt::format("{} ({}; {})", key.what, key.first, key.second));
    }
  std::erase_if(config->finding.rows, [&](const Row& row) { return settled.contains(row.what); });
}

}  // namespace

void Finding::compare(const std::string& what, const std::string& first, const std::string& second,
                      const std::string& record, std::vector<std::string> keys) {
  if (first.empty() && second.empty())
    unknown.push_back(what + " (record " + record + ")");
  else if (first == second)
    same.push_back(what + " " + first);
  else if (first.empty() || second.empty())
    unknown.push_back(fmt::format("{} (only {} says it: {}; record {})", what,
                                  first.empty() ? "the second" : "the first", first.empty() ? second : first,
                                  record));
  else
    rows.push_back({what, first, second, "", std::move(keys)});
}

size_t Explanation::count(bool environment) const {
  size_t rows = 0;
  for (const Part& part : parts)
    if ((part.topic->role == Role::environment) == environment)
      rows += part.finding.rows.size();
  return rows;
}

bool Explanation::compared() const {
  return std::ranges::any_of(parts, [](const Part& part) {
    return part.topic->role == Role::recipe && (!part.finding.rows.empty() || !part.finding.same.empty());
  });
}

ExitCode Explanation::exit_code() const {
  if (count(false) > 0)
    return ExitCode::differ;
  return compared() ? ExitCode::agree : ExitCode::missing;
}

std::string Explanation::verdict() const {
  size_t unknown = 0;
  for (const Part& part : parts)
    unknown += part.finding.unknown.size();
  const std::string rest =
      unknown == 0 ? "" : fmt::format("; {} could not be compared", compare::count_text(unknown, "point"));
  const size_t others = count(true);
  const std::string place =
      others == 0 ? "" : fmt::format(", and their environments in {}", compare::count_text(others, "point"));
  switch (exit_code()) {
    case ExitCode::differ:
      return fmt::format("the recipes differ in {}{}{}", compare::count_text(count(false), "point"), place,
                         rest);
    case ExitCode::agree:
      return fmt::format("the recipes agree in everything that both traces say{}{}",
                         others == 0 ? ""
                                     : fmt::format("; their environments differ in {}",
                                                   compare::count_text(others, "point")),
                         rest);
    default:
      return "nothing could be compared: the traces say nothing about their recipes";
  }
}

Json Explanation::to_json() const {
  Json list = Json::array();
  for (const Part& part : parts) {
    Json rows = Json::array();
    for (const Row& row : part.finding.rows)
      rows.push_back({{"what", row.what},
                      {"first", row.first},
                      {"second", row.second},
                      {"why", row.why},
                      {"keys", row.keys}});
    list.push_back({{"topic", part.topic->name},
                    {"rows", rows},
                    {"same", part.finding.same},
                    {"unknown", part.finding.unknown}});
  }
  return {{"schema", explanation_schema},
          {"verdict", verdict()},
          {"exit_code", static_cast<int>(exit_code())},
          {"topics", list}};
}

Explanation explain(const trace::Trace& first, const trace::Trace& second) {
  const Recipe a(first), b(second);
  Explanation found;
  for (const Topic& topic : topics)
    found.parts.push_back({&topic, topic.compare(a, b)});
  settle_keys(found.parts);
  return found;
}

}  // namespace parity::explain
