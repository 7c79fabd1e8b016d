// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/runs/read_files.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/suite/plan/identity/content_hash.hpp"
#include "harness/suite/plan/identity/file_times.hpp"
#include "harness/suite/plan/identity/python_packages.hpp"
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

std::string first_name(const std::string& path) {
  return path.substr(0, path.find('/'));
}

/// Returns the hash of the names in a folder. Hidden ones and Python's own do not count.
std::string hash_of_names(const fs::path& folder, const std::set<std::string>& without) {
  std::set<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    std::string name = entry.path().filename().string();
    if (!name.starts_with('.') && name != "__pycache__" && !without.contains(name))
      names.insert(std::move(name));
  }
  return content_hash(fmt::format("{}", fmt::join(names, "/")));
}

/// Returns the hash of the names that Python could import from a folder: sources, compiled extensions and
/// packages.
std::string hash_of_modules(const fs::path& folder) {
  std::set<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const fs::path kind = entry.path().extension();
    std::error_code none;
    if (kind == ".py" || kind == ".so" ||
        (entry.is_directory(none) && fs::exists(entry.path() / "__init__.py", none)))
      names.insert(entry.path().filename().string());
  }
  return content_hash(fmt::format("{}", fmt::join(names, "/")));
}

constexpr const char* absent = "absent";  ///< mark of a file or folder that the run looked for in vain

/// Returns the hashes of files until they have most_hashed bytes, and stamps from then on. A file that was
/// changed after the run began gets "", since the run may have read other text.
class Hashes {
 public:
  explicit Hashes(int64_t begun) : begun_(begun) {}

  /// Returns whether a file that the run may write has new text.
  bool is_written(const std::string& path) const { return times_of(path).written > begun_; }

  /// Returns whether somebody has changed a file after the run began.
  bool is_newer(const std::string& path) const { return times_of(path).changed > begun_; }

  std::string operator()(const std::string& path) {
    std::error_code error;
    if (is_newer(path))
      return "";
    hashed_ += fs::file_size(path, error);
    return text_or_none(hashed_ > most_hashed ? file_stamp : hash_of_contents, path);
  }

  /// \return the names in a folder, but for those that the run wrote
  Json of_folder(const std::string& path, const std::set<std::string>& written) const {
    std::set<std::string> own;
    for (const std::string& file : written)
      if (file.starts_with(path + "/"))
        own.insert(first_name(file.substr(path.size() + 1)));
    if (own.empty() && is_newer(path))
      return "";
    return {{"names", hash_of_names(path, own)}, {"without", own}};
  }

 private:
  int64_t begun_;  ///< [nanoseconds]
  uintmax_t hashed_ = 0;
};

/// Returns whether a file still has the text that Hashes gave it.
bool has_mark(const std::string& path, const std::string& mark) {
  std::error_code error;
  if (mark == absent)
    return !fs::exists(path, error);
  const bool stamped = mark.find('@') != std::string::npos;
  return !mark.empty() && text_or_none(stamped ? file_stamp : hash_of_contents, path) == mark;
}

/// Returns whether a folder still has the names of Hashes::of_folder, or the modules of hash_of_modules.
bool has_names(const std::string& folder, const Json& stored) {
  std::error_code error;
  if (stored.contains("modules"))
    return fs::is_directory(folder, error) && text_or(stored, "modules") == hash_of_modules(folder);
  return fs::is_directory(folder, error) &&
         text_or(stored, "names") ==
             hash_of_names(folder, stored.value("without", Json::array()).get<std::set<std::string>>());
}

struct Listed {
  std::set<std::string> modules;
  std::map<std::string, std::set<std::string>> files;  ///< by "r", "w", "rw", "d", "m", "c" and "more"
};

/// Adds the modules of a JSON list.
void add_modules(const std::string& text, Listed& listed) {
  for (const Json& path : Json::parse(text))
    listed.modules.insert(path.get<std::string>());
}

/// Adds the files of lines such as ["r", path].
void add_files(const std::string& text, Listed& listed) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const Json entry = Json::parse(line);
    listed.files[entry.at(0).get<std::string>()].insert(entry.at(1).get<std::string>());
  }
}

constexpr int most_neighbours = 20'000;  // files and folders beside a script

/// Returns whether a script may import from a folder beside it, whose package need not have an __init__.py.
bool may_have_sources(const fs::path& place, const fs::path& run) {
  static const std::set<std::string> others = {"__pycache__", "build", "dist", "node_modules"};
  const std::string name = place.filename().string();
  const bool has_runs = run.string().starts_with((place / "").string());
  return !name.starts_with(".") && !others.contains(name) && !fs::exists(place / "pyvenv.cfg") && !has_runs;
}

/// Adds the Python sources that the scripts of a command can import from their own folders.
/// \param run  folder of the run
/// \throws UserError if such a folder cannot be read, or has too many files
void add_neighbours(const std::vector<std::string>& command, const fs::path& run, Listed& listed) {
  std::error_code error;
  int seen = 0;
  for (const std::string& word : command) {
    if (!word.ends_with(".py") || !fs::is_regular_file(word, error))
      continue;
    fs::recursive_directory_iterator entry(fs::absolute(word).parent_path(), error);
    for (const auto end = fs::recursive_directory_iterator(); !error && entry != end; entry.increment(error))
      if (++seen > most_neighbours)
        throw UserError("too many files are beside a script");
      else if (entry->is_directory(error) && !may_have_sources(entry->path(), run))
        entry.disable_recursion_pending();
      else if (entry->path().extension() == ".py")
        listed.modules.insert(entry->path().string());
    if (error)
      throw UserError("a folder of sources could not be read");
  }
}

/// \throws Json::exception or UserError for a list that is damaged, too long or not whole
Listed listed_by(const fs::path& folder, const std::vector<std::string>& command) {
  Listed listed;
  std::error_code error;
  bool has_list = false;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(std::string(sources_name) + "."))
      continue;
    has_list = true;
    if (name.ends_with(".json"))
      add_modules(read_file(entry.path(), largest_list), listed);
    if (name.ends_with(".read"))
      add_files(read_file(entry.path(), largest_list), listed);
  }
  if (!listed.modules.empty() && !command.empty() && python_of(command).empty())
    throw UserError("the command does not name its Python, whose packages may change");
  if (!has_list)
    add_neighbours(command, fs::absolute(folder), listed);
  if (listed.files.contains("more"))
    throw UserError("a process has read more files than it listed");
  return listed;
}

}  // namespace

Json hash_read_files(const fs::path& folder, bool lists_data, const std::vector<std::string>& command) {
  std::error_code error;
  Hashes hash(times_of(folder / "capture.json").changed);
  Json hashes = Json::object();
  try {
    Listed listed = listed_by(folder, command);
    for (const std::string& path : listed.modules)
      hashes[path] = hash(path);
    for (const std::string& path : listed.files["r"])
      if (!hashes.contains(path) && !listed.files["w"].contains(path) && !listed.files["rw"].contains(path) &&
          fs::is_regular_file(path, error))
        hashes[path] = hash(path);
    for (const std::string& path : listed.files["rw"])
      if (!hashes.contains(path) && !listed.files["w"].contains(path) && fs::is_regular_file(path, error) &&
          !hash.is_written(path))
        hashes[path] = hash(path);
    if (!lists_data)
      for (const std::string& package : listed.files["c"])
        hashes[package] = "";
    for (const std::string& path : listed.files["d"])
      if (fs::is_directory(path, error))
        hashes[path] = hash.of_folder(path, listed.files["w"]);
    for (const std::string& path : listed.files["m"])
      if (fs::is_directory(path, error) && !hashes.contains(path))
        hashes[path] = {{"modules", hash_of_modules(path)}};
    for (const char* way : {"r", "d", "m"})
      for (const std::string& path : listed.files[way])
        if (!fs::exists(path, error) && !listed.files["w"].contains(path) &&
            !listed.files["rw"].contains(path))
          hashes[path] = absent;
  } catch (const std::exception&) {  // such a run never answers
    hashes[(folder / sources_name).string()] = "";
  }
  return hashes;
}

bool has_unchanged_files(const Json& hashes) try {
  return hashes.is_object() && std::ranges::all_of(hashes.items(), [](const auto& item) {
           const Json& value = item.value();
           return value.is_object() ? has_names(item.key(), value)
                                    : has_mark(item.key(), value.template get<std::string>());
         });
} catch (const Json::exception&) {
  return false;  // the record is damaged
}

}  // namespace parity::suite
