// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/goldens/unused_goldens.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/base/files/file.hpp"
#include "harness/golden/golden_file.hpp"
#include "harness/suite/cases/find_cases.hpp"
#include "harness/suite/cases/read/file.hpp"
#include "harness/suite/cases/read/paths.hpp"
#include "harness/suite/goldens/stored_power.hpp"
#include "harness/suite/results/case_outcome.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view case_name = "unused goldens";

bool is_power(const fs::path& file) {
  return file.filename().string().ends_with(".power.json");
}

std::string sentence_of(const fs::path& file) {
  return path_from_here(file) +
         (is_power(file) ? " belongs to no case (the case was renamed or deleted)"
                         : " belongs to no case (the case was renamed or deleted, or stores no golden)") +
         "; delete the file, or restore the case";
}

results::Check check_of(const fs::path& file, size_t number) {
  results::Check check = golden_finding(fmt::format("{}:{}", case_name, number), path_from_here(file),
                                        compare::Verdict::missing, sentence_of(file));
  check.because = "no case is compared with this golden, so it checks nothing";
  check.finding.next = "parity list";
  return check;
}

/// Returns whether a golden belongs to a case file outside `cases`, next to the folder of goldens.
bool is_of_case_outside(const fs::path& golden, const fs::path& folder) {
  fs::path name = golden.filename();
  if (is_power(name))
    name = name.stem();  // removes ".json"; replace_extension removes ".power"
  const fs::path file = (folder.parent_path() / name).replace_extension(".toml");
  std::error_code error;
  return fs::is_regular_file(file, error) && golden_file_of(file).parent_path() == golden.parent_path();
}

/// Returns the golden files in use: goldens of cases with one, floors of cases without one, and measured
/// power.
std::set<fs::path> used_goldens(const fs::path& root) {
  std::set<fs::path> used;
  for (const fs::path& file : find_case_files({}, root)) {
    const Case item = read_case(file);
    if (!item.golden.arms.empty() ||
        (fs::exists(item.golden_file) && golden::holds_floors_alone(item.golden_file)))
      used.insert(item.golden_file);
    used.insert(recorded_power_file(item));
  }
  return used;
}

}  // namespace

fs::path golden_folder(const fs::path& root) {
  // The file does not need to exist.
  return golden_file_of(root / "case.toml").parent_path();
}

std::vector<fs::path> golden_files(const fs::path& root) {
  std::vector<fs::path> files;
  std::error_code error;
  const fs::path folder = golden_folder(root);
  if (fs::is_directory(folder, error))
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.is_regular_file() && (entry.path().extension() == ".h5" || is_power(entry.path())))
        files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<fs::path> unused_goldens(const fs::path& root) {
  const std::set<fs::path> used = used_goldens(root);
  std::vector<fs::path> unused = golden_files(root);
  std::erase_if(unused, [&](const fs::path& file) {
    return used.contains(file) || is_of_case_outside(file, golden_folder(root));
  });
  return unused;
}

std::vector<fs::path> goldens_without_arms(const std::vector<Case>& cases) {
  std::vector<fs::path> files;
  for (const Case& item : cases)
    if (item.golden.states_none && fs::exists(item.golden_file) &&
        !golden::holds_floors_alone(item.golden_file))
      files.push_back(item.golden_file);
  return files;
}

results::Case unused_goldens_results(const std::vector<fs::path>& files) {
  std::vector<results::Check> checks;
  for (const fs::path& file : files)
    checks.push_back(check_of(file, checks.size() + 1));
  const std::string sentence = fmt::format("{} golden file{} belong{} to no case", files.size(),
                                           files.size() == 1 ? "" : "s", files.size() == 1 ? "s" : "");
  return suite_failure(std::string(case_name), "Goldens that belong to no case",
                       "Is every golden compared with a case?", sentence, checks);
}

}  // namespace parity::suite
