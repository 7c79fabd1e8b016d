// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/json/json.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/table.hpp"
#include "harness/cli/options/cases.hpp"
#include "harness/cli/options/trainer.hpp"
#include "harness/cli/verbs/verbs.hpp"
#include "harness/golden/state.hpp"
#include "harness/suite/goldens/stored_power.hpp"
#include "harness/suite/plan/plan.hpp"

namespace parity::cli {
namespace fs = std::filesystem;
namespace {

struct ListOptions {
  CaseOptions cases;
  bool json = false;
};

/// A case with the state of its golden.
struct Listed {
  suite::Case item;
  golden::GoldenFinding golden;
  std::string problem;  ///< why it would not run; "" if it would run
};

/// Returns why the case would not run, by planning it without hashing; "" if it would run, or if there is no
/// trainer schema to check it.
std::string problem_of(const suite::Case& item, const fs::path& trainer) {
  suite::PlanContext context;
  context.trainer = trainer;
  context.schema_file = trainer;
  context.schema_file += ".schema.json";
  context.hash_program = context.hash_file = [](const fs::path&) { return std::string(); };
  std::error_code error;
  if (!fs::exists(context.schema_file, error))
    return "";
  try {
    suite::Plan(std::move(context)).add(item);
  } catch (const UserError& found) {
    return found.what();
  }
  return "";
}

Json case_json(const Listed& listed) {
  const suite::Case& item = listed.item;
  Json arms = Json::array();
  for (const suite::Arm& arm : item.arms)
    arms.push_back(arm.name);
  return {{"name", item.name},
          {"file", item.file.generic_string()},
          {"title", item.title},
          {"question", item.question},
          {"tags", item.tags},
          {"arms", arms},
          {"reference", item.reference},
          {"checks", item.checks.size()},
          {"stale_power", recorded_power_is_stale(item)},
          {"golden", name_of(listed.golden.state)},
          {"problem", listed.problem},
          {"golden_problem", listed.golden.sentence},
          {"golden_file", item.golden.arms.empty() ? Json() : Json(item.golden_file.generic_string())}};
}

void print_cases(const std::vector<Listed>& cases, const std::vector<std::filesystem::path>& unused) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [item, golden, problem] : cases)
    rows.push_back({item.name, std::to_string(item.arms.size()), std::to_string(item.checks.size()),
                    std::string(name_of(golden.state)), fmt::format("{}", fmt::join(item.tags, " ")),
                    item.title});
  fmt::print("{}", text_table({"case", "arms", "checks", "golden", "tags", "title"}, rows));
  for (const auto& [item, golden, problem] : cases)
    if (!problem.empty())
      fmt::print("  {}: would not run: {}\n", escape_to_line(item.name), escape_for_terminal(problem));
  for (const auto& [item, golden, problem] : cases)
    if (golden.state != golden::GoldenState::none && golden.state != golden::GoldenState::stored)
      fmt::print("  {}: {}\n", escape_to_line(item.name), escape_for_terminal(golden.sentence));
  for (const auto& [item, golden, problem] : cases)
    if (recorded_power_is_stale(item))
      fmt::print("  {}: its power was measured before the case changed; run: {}\n", escape_to_line(item.name),
                 shell_quote({"parity", "power", item.name, "--record"}));
  for (const std::filesystem::path& file : unused)
    fmt::print("  unused: {} belongs to no case\n", file.string());
}

ExitCode list(const ListOptions& options) {
  std::vector<Listed> cases;
  for (suite::Case& item : options.cases.read()) {
    const golden::GoldenFinding golden = golden::golden_state(item.golden_file, item.golden.arms);
    const std::string problem = problem_of(item, find_trainer(""));
    cases.push_back({std::move(item), golden, problem});
  }
  const std::vector<std::filesystem::path> unused = options.cases.unused_goldens();
  if (!options.json) {
    print_cases(cases, unused);
    return ExitCode::agree;
  }
  Json all = {{"cases", Json::array()}, {"unused_goldens", Json::array()}};
  for (const Listed& listed : cases)
    all["cases"].push_back(case_json(listed));
  for (const std::filesystem::path& file : unused)
    all["unused_goldens"].push_back(file.generic_string());
  fmt::print("{}\n", all.dump(1));
  return ExitCode::agree;
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  auto options = std::make_shared<ListOptions>();
  options->cases.add_to(app);
  app.add_flag("--json", options->json, "Print the list as JSON");
  app.footer(
      "Examples:\n"
      "  parity list                   every case\n"
      "  parity list 'lr/*' --json     one topic, as JSON\n"
      "  parity list --tag fast\n"
      "A golden is stored, missing, incomplete or unused (its arms are not the case's), of another schema,\n"
      "or corrupt. Runs nothing.");
  app.callback([options, &action] { action = [options] { return list(*options); }; });
}

}  // namespace parity::cli
