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

constexpr uintmax_t largest_list = 16 << 20;  // bytes
constexpr uintmax_t most_hashed = 256 << 20;  // bytes of a run's files

/// Returns a text of a file, or "" if it cannot be read.
std::string text_or_none(std::string (*of)(const fs::path&), const std::string& path) {
  try {
    return of(path);
  } catch (const UserError&) {
    return "";
  }
}

/// Returns the hashes of files until they have most_hashed bytes, and stamps from then on. A file that was
/// written after the run began gets "", since the run may have read other text.
class Hashes {
 public:
  explicit Hashes(fs::file_time_type begun) : begun_(begun) {}

  std::string operator()(const std::string& path) {
    std::error_code error;
    if (fs::last_write_time(path, error) > begun_ && !error)
      return "";
    hashed_ += fs::file_size(path, error);
    return text_or_none(hashed_ > most_hashed ? file_stamp : hash_of_contents, path);
  }

 private:
  fs::file_time_type begun_;
  uintmax_t hashed_ = 0;
};

/// Returns whether a file still has the text that Hashes gave it.
bool has_mark(const std::string& path, const std::string& mark) {
  const bool stamped = mark.find('@') != std::string::npos;
  return !mark.empty() && text_or_none(stamped ? file_stamp : hash_of_contents, path) == mark;
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
  Hashes hash(fs::last_write_time(folder / "capture.json", error));
  Json hashes = Json::object();
  try {
    const Listed listed = listed_by(folder);
    for (const std::string& path : listed.modules)
      hashes[path] = hash(path);
    for (const std::string& path : listed.read)
      if (!hashes.contains(path) && !listed.written.contains(path) && fs::is_regular_file(path, error))
        hashes[path] = hash(path);
  } catch (const std::exception&) {  // such a run never answers
    hashes[(folder / sources_name).string()] = "";
  }
  return hashes;
}

bool has_sources(const Json& hashes) {
  return hashes.is_object() && std::ranges::all_of(hashes.items(), [](const auto& item) {
           return item.value().is_string() && has_mark(item.key(), item.value().template get<std::string>());
         });
}

}  // namespace parity::suite
