// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/unused_goldens.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/base/file.hpp"
#include "harness/suite/case_file.hpp"
#include "harness/suite/find_cases.hpp"

namespace parity {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view case_name = "unused goldens";

Json check_of(const fs::path& file, size_t number) {
  return {{"id", fmt::format("{}:{}", case_name, number)},
          {"kind", "golden"},
          {"quantity", path_from_here(file)},
          {"arms", Json::array()},
          {"against", "golden"},
          {"relation", "identical"},
          {"because", "a golden that no case is held against looks like a check and is none"},
          {"passed", false},
          {"verdict", "missing"},
          {"sentence", path_from_here(file) +
                           " belongs to no case (the case was renamed or deleted, or keeps no golden); "
                           "delete the file, or restore the case"},
          {"command", "parity list"}};
}

/// A case file that lies outside `cases`, beside the folder of goldens, has its golden there too.
bool is_of_case_outside(const fs::path& golden, const fs::path& folder) {
  const fs::path file = (folder.parent_path() / golden.filename()).replace_extension(".toml");
  std::error_code error;
  return fs::is_regular_file(file, error) && golden_file_of(file) == golden;
}

}  // namespace

fs::path golden_folder(const fs::path& root) {
  // A file need not exist to have a place.
  return golden_file_of(root / "case.toml").parent_path();
}

std::vector<fs::path> unused_goldens(const fs::path& root) {
  std::set<fs::path> used;
  for (const fs::path& file : find_case_files({}, root))
    if (const Case item = read_case(file); !item.golden.arms.empty())
      used.insert(item.golden_file);
  std::vector<fs::path> unused;
  std::error_code error;
  const fs::path folder = golden_folder(root);
  if (fs::is_directory(folder, error))
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.is_regular_file() && entry.path().extension() == ".h5" && !used.contains(entry.path()) &&
          !is_of_case_outside(entry.path(), folder))
        unused.push_back(entry.path());
  std::sort(unused.begin(), unused.end());
  return unused;
}

Json unused_goldens_results(const std::vector<fs::path>& files) {
  Json checks = Json::array();
  for (const fs::path& file : files)
    checks.push_back(check_of(file, checks.size() + 1));
  return {{"name", case_name},
          {"file", ""},
          {"title", "Goldens that belong to no case"},
          {"question", "Is every golden held against a case?"},
          {"passed", false},
          {"verdict", "missing"},
          {"sentence", fmt::format("{} golden file{} belong{} to no case", files.size(),
                                   files.size() == 1 ? "" : "s", files.size() == 1 ? "s" : "")},
          {"tags", Json::array()},
          {"seconds", 0},
          {"notes", Json::array()},
          {"arms", Json::array()},
          {"checks", checks},
          {"reproduce", "parity golden verify"}};
}

}  // namespace parity
