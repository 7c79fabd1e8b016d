// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/rerun.hpp"

#include <algorithm>

#include "harness/suite/merge_results.hpp"
#include "harness/suite/setting.hpp"

namespace parity {
namespace fs = std::filesystem;
namespace {

fs::path place_in_suite(const fs::path& file) {
  std::error_code error;
  return fs::weakly_canonical(file, error);
}

}  // namespace

std::vector<FailedCase> failed_cases(const fs::path& out) {
  std::vector<FailedCase> failed;
  const JsonItems results = read_results(out);
  std::vector<std::string> settings;
  for (size_t i = 0; i < results.size(); ++i) {
    const Json item = read_case_results(results, i, out);
    settings = item.value("settings", Json::array()).get<std::vector<std::string>>();
    if (!item.value("passed", false) && !item.contains("skipped") && !item.value("file", "").empty())
      failed.push_back({item.value("name", ""), item.at("file").get<std::string>(), settings});
  }
  for (const std::string& name : results.rest().value("unfinished", std::vector<std::string>()))
    failed.push_back({name, "", settings});
  return failed;
}

std::vector<Case> only_failed(std::vector<Case> cases, const std::vector<FailedCase>& failed) {
  std::vector<Case> chosen;
  for (Case& item : cases) {
    const auto found = std::find_if(failed.begin(), failed.end(), [&](const FailedCase& each) {
      return each.file.empty() ? each.name == item.name
                               : place_in_suite(each.file) == place_in_suite(item.file);
    });
    if (found == failed.end())
      continue;
    std::vector<Case> one = {std::move(item)};
    apply_settings(one, found->settings);
    chosen.push_back(std::move(one.front()));
  }
  return chosen;
}

}  // namespace parity
