// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/cases/find_cases.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/glob.hpp"
#include "harness/base/text/nearest.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view editors_lock = ".#";  // Emacs makes dangling links with this prefix

/// Returns whether a folder is in another one or is the same. Both paths are canonical.
bool lies_in(const fs::path& folder, const fs::path& other) {
  const fs::path relative = folder.lexically_relative(other);
  return !relative.empty() && *relative.begin() != "..";
}

[[noreturn]] void refuse_link(const fs::path& link, const std::string& why) {
  throw UserError(fmt::format(
      "cannot search {} for cases (it is a link {}); replace it by a folder, or name the case files",
      escape_for_terminal(link.string()), why));
}

/// Finds case files below a folder. Follows links to folders within the repository.
class CaseSearch {
 public:
  /// \param repository  folder that contains `cases`; links may lead into it
  explicit CaseSearch(const fs::path& repository) : repository_(fs::canonical(repository)) {}

  void search_folder(const fs::path& folder) {
    open_.push_back(fs::canonical(folder));
    for (const auto& entry : fs::directory_iterator(folder))
      if (!entry.path().filename().string().starts_with(editors_lock))
        search_entry(entry.path());
    open_.pop_back();
  }

  std::vector<fs::path> files;

 private:
  void search_entry(const fs::path& entry) {
    std::error_code error;
    const bool is_link = fs::is_symlink(entry, error);
    if (fs::is_directory(entry, error)) {
      if (is_link)
        check_link(entry);
      search_folder(entry);
    } else if (entry.extension() == ".toml") {
      if (!fs::is_regular_file(entry, error))
        throw UserError(fmt::format(
            "cannot read {} ({}); remove it, or put the case file there", escape_for_terminal(entry.string()),
            is_link ? "it is a link whose target is not a file" : "it is not a regular file"));
      files.push_back(entry);
    } else if (is_link && !fs::exists(entry, error)) {
      refuse_link(entry, "whose target does not exist");
    }
  }

  void check_link(const fs::path& link) const {
    const fs::path target = fs::canonical(link);
    if (!lies_in(target, repository_))
      refuse_link(link, "to a folder outside " + escape_for_terminal(repository_.string()));
    if (std::ranges::any_of(open_, [&](const fs::path& folder) { return lies_in(folder, target); }))
      refuse_link(link, "to a folder that contains it");
  }

  fs::path repository_;
  std::vector<fs::path> open_;  ///< the ancestors of the current folder; canonical
};

std::vector<fs::path> files_below(const fs::path& folder) {
  const fs::path whole = fs::absolute(folder).lexically_normal();
  const fs::path named = whole.has_filename() ? whole : whole.parent_path();
  CaseSearch search(named.parent_path());
  search.search_folder(folder);
  return search.files;
}

std::string name_below(const fs::path& file, const fs::path& root) {
  return file.lexically_relative(root).replace_extension("").generic_string();
}

/// Returns " (did you mean X?)" for the nearest case file, next to the wanted path or below the root.
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
  if (fs::is_regular_file(wanted, error)) {
    if (fs::path(wanted).extension() !=
        ".toml")  // else it would share golden and results with the .toml next to it
      throw UserError(
          fmt::format("cannot run {} (the name of a case file must end in .toml); rename it, or name a case; "
                      "see: parity list",
                      parity::quoted(wanted)));
    return {wanted};
  }
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
  if (fs::is_regular_file(wanted + ".toml", error))  // a case outside the root, by the name in reports
    return {wanted + ".toml"};
  if (!fs::is_directory(root, error))
    throw UserError(fmt::format(
        "cannot find case {} (there is no folder '{}' here); run from the project's root, or give --cases",
        parity::quoted(wanted), root.string()));
  if (fs::path(wanted).extension() == ".toml")
    throw UserError(fmt::format("there is no file {}{}; see: parity list", parity::quoted(wanted),
                                nearest_file(wanted, root)));
  throw UserError(
      fmt::format("unknown case {}{}; see: parity list", parity::quoted(wanted), suggestion(wanted, names)));
}

}  // namespace

std::vector<fs::path> find_case_files(const CaseFilter& filter, const fs::path& root) {
  std::error_code error;
  if (filter.what.empty() && !fs::is_directory(root, error))
    throw UserError(fmt::format(
        "cannot find cases (there is no folder '{}' here); run from the project's root, or name case files",
        root.string()));
  const std::vector<std::string> what = filter.what.empty() ? std::vector{root.string()} : filter.what;
  std::set<fs::path> files, seen;
  for (const std::string& wanted : what)
    for (const fs::path& file : files_named(wanted, root))
      if (seen.insert(fs::absolute(file).lexically_normal()).second)
        files.insert(file.lexically_normal());
  if (files.empty())
    throw UserError(
        fmt::format("cannot find cases in '{}' (it has no *.toml file); name another folder", what.front()));
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

std::optional<std::string> unasked_tag(const CaseFilter& filter, const std::vector<std::string>& tags) {
  const auto has = [](const std::vector<std::string>& list, std::string_view tag) {
    return std::ranges::find(list, tag) != list.end();
  };
  for (const std::string_view tag : {"slow", "frameworks"})
    if (filter.what.empty() && has(tags, tag) && !has(filter.tags, tag))
      return std::string(tag);
  return std::nullopt;
}

}  // namespace parity::suite
