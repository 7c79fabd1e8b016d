// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/rerun.hpp"

#include <map>

#include "harness/suite/merge_results.hpp"
#include "harness/suite/setting.hpp"

namespace parity {
namespace fs = std::filesystem;
namespace {

fs::path place_of(const fs::path& file) {
  std::error_code error;
  return fs::weakly_canonical(file, error);
}

}  // namespace

std::vector<FailedCase> failed_cases(const fs::path& out) {
  std::vector<FailedCase> failed;
  const Json results = read_results(out);
  for (const Json& item : results.at("cases"))
    if (!item.value("passed", false) && !item.value("file", "").empty())
      failed.push_back({item.at("file").get<std::string>(),
                        item.value("settings", Json::array()).get<std::vector<std::string>>()});
  return failed;
}

std::vector<Case> only_failed(std::vector<Case> cases, const std::vector<FailedCase>& failed) {
  std::map<fs::path, std::vector<std::string>> settings;
  for (const FailedCase& each : failed)
    settings[place_of(each.file)] = each.settings;
  std::vector<Case> chosen;
  for (Case& item : cases)
    if (const auto found = settings.find(place_of(item.file)); found != settings.end()) {
      std::vector<Case> one = {std::move(item)};
      apply_settings(one, found->second);
      chosen.push_back(std::move(one.front()));
    }
  return chosen;
}

}  // namespace parity
