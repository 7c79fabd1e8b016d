// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/rerun.hpp"

#include <set>

#include "harness/suite/merge_results.hpp"

namespace parity {
namespace fs = std::filesystem;
namespace {

fs::path place_of(const fs::path& file) {
  std::error_code error;
  return fs::weakly_canonical(file, error);
}

}  // namespace

std::vector<fs::path> failed_case_files(const fs::path& out) {
  std::vector<fs::path> files;
  const Json results = read_results(out);
  for (const Json& item : results.at("cases"))
    if (!item.value("passed", false) && !item.value("file", "").empty())
      files.emplace_back(item.at("file").get<std::string>());
  return files;
}

std::vector<Case> only_files(std::vector<Case> cases, const std::vector<fs::path>& files) {
  std::set<fs::path> wanted;
  for (const fs::path& file : files)
    wanted.insert(place_of(file));
  std::erase_if(cases, [&](const Case& item) { return !wanted.contains(place_of(item.file)); });
  return cases;
}

}  // namespace parity
