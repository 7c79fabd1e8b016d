// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/find_cases.hpp"

#include <algorithm>
#include <set>

#include "harness/base/error.hpp"
#include "harness/base/glob.hpp"
#include "harness/base/nearest.hpp"
#include "harness/base/visible.hpp"

namespace parity {
namespace fs = std::filesystem;
namespace {

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().extension() == ".toml")
      files.push_back(entry.path());
  return files;
}

std::string name_below(const fs::path& file, const fs::path& root) {
  return file.lexically_relative(root).replace_extension("").generic_string();
}

/// " (did you mean X?)": a case file beside where the wanted one was looked for, or below the root.
std::string nearest_file(const std::string& wanted, const fs::path& root) {
  std::vector<std::string> known;
  for (const fs::path& file : files_below(root))
    known.push_back(file.generic_string());
  const fs::path parent = fs::path(wanted).parent_path();
  std::error_code error;
  for (fs::directory_iterator at(parent.empty() ? "." : parent, error), end; !error && at != end;
       at.increment(error))
    if (at->path().extension() == ".toml")
      known.push_back((parent / at->path().filename()).generic_string());
  const std::string near = nearest(wanted, known);
  return near.empty() ? "" : " (did you mean " + parity::quoted(near) + "?)";
}

std::vector<fs::path> files_named(const std::string& wanted, const fs::path& root) {
  std::error_code error;
  if (fs::is_regular_file(wanted, error))
    return {wanted};
  if (fs::is_directory(wanted, error))
    return files_below(wanted);
  std::vector<fs::path> files;
  std::vector<std::string> names;
  if (fs::is_directory(root, error))
    for (const fs::path& file : files_below(root)) {
      names.push_back(name_below(file, root));
      if (glob_match(wanted, names.back()) || glob_match(wanted, file.generic_string()) ||
          names.back().starts_with(wanted + "/"))
        files.push_back(file);
    }
  std::sort(names.begin(), names.end());
  if (!files.empty())
    return files;
  if (!fs::is_directory(root, error))
    throw UserError("there is no folder '" + root.string() + "' here to look for " + parity::quoted(wanted) +
                    " in; run from the project's root, or give --cases");
  if (fs::path(wanted).extension() == ".toml")
    throw UserError("there is no file " + parity::quoted(wanted) + nearest_file(wanted, root) +
                    "; see: parity list");
  throw UserError("no case is called " + parity::quoted(wanted) + suggestion(wanted, names) +
                  "; see: parity list");
}

}  // namespace

std::vector<fs::path> find_case_files(const CaseFilter& filter, const fs::path& root) {
  std::error_code error;
  if (filter.what.empty() && !fs::is_directory(root, error))
    throw UserError("there is no folder '" + root.string() +
                    "' here (cases are looked for in it); run from the project's root, or name case files");
  const std::vector<std::string> what = filter.what.empty() ? std::vector{root.string()} : filter.what;
  std::set<fs::path> files;
  for (const std::string& wanted : what)
    for (const fs::path& file : files_named(wanted, root))
      files.insert(file.lexically_normal());
  if (files.empty())
    throw UserError("no case files (*.toml) in '" + what.front() + "'; name a folder that has some");
  return {files.begin(), files.end()};
}

bool has_wanted_tag(const CaseFilter& filter, const std::vector<std::string>& tags) {
  const auto has_one_of = [&](const std::vector<std::string>& list) {
    return std::any_of(tags.begin(), tags.end(), [&](const std::string& tag) {
      return std::find(list.begin(), list.end(), tag) != list.end();
    });
  };
  return (filter.tags.empty() || has_one_of(filter.tags)) && !has_one_of(filter.without_tags);
}

bool is_left_out(const CaseFilter& filter, const std::vector<std::string>& tags) {
  const auto has_slow = [](const std::vector<std::string>& list) {
    return std::find(list.begin(), list.end(), "slow") != list.end();
  };
  return has_slow(tags) && filter.what.empty() && !has_slow(filter.tags);
}

}  // namespace parity
