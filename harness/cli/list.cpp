// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "harness/base/json.hpp"
#include "harness/base/text_table.hpp"
#include "harness/cli/options.hpp"
#include "harness/cli/verbs.hpp"

namespace parity::cli {
namespace {

struct ListOptions {
  CaseOptions cases;
  bool json = false;
};

std::string golden_state(const Case& item) {
  if (item.golden.arms.empty())
    return "none";
  return std::filesystem::exists(item.golden_file) ? "stored" : "missing";
}

Json to_json(const Case& item) {
  Json arms = Json::array();
  for (const Arm& arm : item.arms)
    arms.push_back(arm.name);
  return {{"name", item.name},           {"file", item.file.generic_string()},
          {"title", item.title},         {"question", item.question},
          {"tags", item.tags},           {"arms", arms},
          {"reference", item.reference}, {"checks", item.checks.size()},
          {"golden", golden_state(item)}};
}

ExitCode list(const ListOptions& options) {
  Json all = Json::array();
  std::vector<std::vector<std::string>> rows;
  for (const Case& item : options.cases.read()) {
    all.push_back(to_json(item));
    rows.push_back({item.name, std::to_string(item.arms.size()), std::to_string(item.checks.size()),
                    golden_state(item), fmt::format("{}", fmt::join(item.tags, " ")), item.title});
  }
  if (options.json)
    fmt::print("{}\n", all.dump(1));
  else
    fmt::print("{}", text_table({"case", "arms", "checks", "golden", "tags", "title"}, rows));
  return ExitCode::agree;
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  auto options = std::make_shared<ListOptions>();
  options->cases.add_to(app);
  app.add_flag("--json", options->json, "As JSON");
  app.footer(
      "Examples:\n"
      "  parity list                   every case\n"
      "  parity list 'lr/*' --json     one topic, for machines\n"
      "  parity list --tag fast");
  app.callback([options, &action] { action = [options] { return list(*options); }; });
}

}  // namespace parity::cli
