// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/html/short_paths.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <system_error>
#include <utility>
#include <vector>

namespace parity::reports {
namespace fs = std::filesystem;
namespace {

constexpr std::array<std::string_view, 11> common_roots = {
    "home", "Users", "root", "tmp", "var", "mnt", "media", "private", "Volumes", "scratch", "builds"};
constexpr std::array<std::string_view, 3> roots_of_the_system = {"dev", "proc", "sys"};
constexpr std::string_view before_a_path = " \t\n\"'=(,:;[{>`";
constexpr std::string_view after_a_path = " \t\n\"'(),:;[]{}<>`&\\";

bool is_root(const std::string& name) {
  if (std::ranges::find(roots_of_the_system, name) != roots_of_the_system.end())
    return false;
  std::error_code none;
  return std::ranges::find(common_roots, name) != common_roots.end() || fs::is_directory("/" + name, none);
}

/// Returns whether a path may begin with the slash at `at`.
bool can_begin(std::string_view text, size_t at) {
  const std::string_view before = text.substr(0, at);
  const bool new_line_of_json = before.ends_with("\\n"), address = before.ends_with("file://");
  if (at > 0 && before_a_path.find(text[at - 1]) == std::string_view::npos && !new_line_of_json && !address)
    return false;
  const char next = at + 1 < text.size() ? text[at + 1] : ' ';
  return std::isalnum(static_cast<unsigned char>(next)) != 0 || next == '_' || next == '.';
}

std::vector<std::string> names_of(const std::string& path) {
  std::vector<std::string> names;
  for (const fs::path& part : fs::path(path).relative_path())
    if (!part.empty())
      names.push_back(part.string());
  return names;
}

/// Returns whether a path is below a folder. \param rest  receives the rest; "" for the folder itself
bool is_below(const std::string& path, const std::string& folder, std::string& rest) {
  if (folder.size() < 2 || !path.starts_with(folder))
    return false;
  if (path.size() > folder.size() && path[folder.size()] != '/')
    return false;
  rest = path.size() > folder.size() ? path.substr(folder.size() + 1) : "";
  return true;
}

std::string home_folder() {
  const char* home = std::getenv("HOME");
  return home ? home : "";
}

}  // namespace

ShortPaths::ShortPaths() : ShortPaths(fs::current_path(), home_folder()) {}

ShortPaths::ShortPaths(const fs::path& work, const fs::path& home)
    : work_(work.string()), home_(home.string()) {}

std::string ShortPaths::shortened(const std::string& path) const {
  const std::vector<std::string> names = names_of(path);
  std::string rest;
  if (names.empty() || !is_root(names.front()))
    return path;
  if (is_below(path, work_, rest))
    return rest.empty() ? "." : rest;
  if (is_below(path, home_, rest))
    return rest.empty() ? "~" : "~/" + rest;
  // A short path keeps one name, since the one before may be a user's.
  const size_t kept = names.size() > 3 ? 2 : names.size() > 1 ? 1 : 0;
  std::string end;
  for (size_t i = names.size() - kept; i < names.size(); ++i)
    end += "/" + names[i];
  return "…" + end;
}

std::string ShortPaths::in(std::string_view text) const {
  std::string result;
  size_t done = 0;
  for (size_t at = text.find('/'); at != std::string_view::npos; at = text.find('/', at)) {
    if (!can_begin(text, at)) {
      ++at;
      continue;
    }
    const size_t end = std::min(text.find_first_of(after_a_path, at), text.size());
    result += text.substr(done, at - done);
    result += shortened(std::string(text.substr(at, end - at)));
    done = at = end;
  }
  return result += text.substr(done);
}

}  // namespace parity::reports
