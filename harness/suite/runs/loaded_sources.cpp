// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/runs/loaded_sources.hpp"

#include <algorithm>
#include <set>
#include <sstream>
#include <string>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/suite/plan/identity/content_hash.hpp"
#include "harness/suite/plan/rank_environment.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

constexpr uintmax_t largest_list = 16 << 20;    // bytes
constexpr uintmax_t largest_hashed = 64 << 20;  // bytes

/// Returns the hash of a file's bytes, or the stamp of a large file; "" if it cannot be read.
std::string hash_or_none(const std::string& path) {
  try {
    std::error_code error;
    return fs::file_size(path, error) > largest_hashed && !error ? file_stamp(path) : hash_of_contents(path);
  } catch (const UserError&) {
    return "";
  }
}

/// Returns the hash of a file; "" if it was written after the run began, which then may have loaded other
/// text.
std::string hash_unless_later(const std::string& path, fs::file_time_type begun) {
  std::error_code error;
  return fs::last_write_time(path, error) > begun && !error ? "" : hash_or_none(path);
}

struct Listed {
  std::set<std::string> modules;
  std::set<std::string> read;
  std::set<std::string> written;
};

/// Adds the modules of a JSON list.
void add_modules(const std::string& text, Listed& listed) {
  for (const Json& path : Json::parse(text))
    listed.modules.insert(path.get<std::string>());
}

/// Adds the files of lines ["r", path] and ["w", path].
void add_files(const std::string& text, Listed& listed) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const Json entry = Json::parse(line);
    (entry.at(0) == "w" ? listed.written : listed.read).insert(entry.at(1).get<std::string>());
  }
}

/// \throws Json::exception or UserError for a list that is damaged or too long
Listed listed_by(const fs::path& folder) {
  Listed listed;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(std::string(sources_name) + "."))
      continue;
    if (name.ends_with(".json"))
      add_modules(read_file(entry.path(), largest_list), listed);
    if (name.ends_with(".read"))
      add_files(read_file(entry.path(), largest_list), listed);
  }
  return listed;
}

}  // namespace

Json hash_sources(const fs::path& folder) {
  std::error_code error;
  const fs::file_time_type begun = fs::last_write_time(folder / "capture.json", error);
  Json hashes = Json::object();
  try {
    const Listed listed = listed_by(folder);
    for (const std::string& path : listed.modules)
      hashes[path] = hash_unless_later(path, begun);
    for (const std::string& path : listed.read)
      if (!hashes.contains(path) && !listed.written.contains(path) && fs::is_regular_file(path, error))
        hashes[path] = hash_unless_later(path, begun);
  } catch (const std::exception&) {  // such a run never answers
    hashes[(folder / sources_name).string()] = "";
  }
  return hashes;
}

bool has_sources(const Json& hashes) {
  return hashes.is_object() && std::ranges::all_of(hashes.items(), [](const auto& item) {
           return item.value().is_string() && !item.value().template get<std::string>().empty() &&
                  hash_or_none(item.key()) == item.value().template get<std::string>();
         });
}

}  // namespace parity::suite
