// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/identity/python_packages.hpp"

#include <chrono>
#include <cstdlib>
#include <optional>
#include <set>
#include <sstream>

#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/suite/plan/identity/content_hash.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

constexpr auto longest_start = std::chrono::minutes(1);
constexpr uint64_t longest_list = uint64_t{64} << 20;
/// Enough to notice another package.
constexpr size_t mark_length = 8;

bool is_python(const std::string& word) {
  return fs::path(word).filename().string().starts_with("python");
}

/// Returns whether a word in the middle of a command is "python" or "python3.11", and not python_notes.txt.
bool is_plain_python(const std::string& word) {
  const std::string name = fs::path(word).filename().string();
  return is_python(name) &&
         name.find_first_not_of("0123456789.", std::string_view("python").size()) == std::string::npos;
}

/// A file that is removed at the end.
class ScratchFile {
 public:
  ScratchFile() {
    std::string pattern = (fs::temp_directory_path() / "parity_paths_XXXXXX").string();
    const int file = ::mkstemp(pattern.data());
    if (file < 0)
      throw UserError("cannot create " + pattern + " (no room there?); set TMPDIR to a writable folder");
    ::close(file);
    path_ = pattern;
  }
  ~ScratchFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

constexpr const char* print_path =
    "import json, sys, sysconfig\n"
    "own = [sysconfig.get_path('stdlib'), sysconfig.get_path('platstdlib')]\n"
    "own += [folder + '/lib-dynload' for folder in own]\n"
    "print(json.dumps([folder for folder in sys.path[1:] if folder not in own]))\n";

/// Returns whether a Python starts and succeeds.
/// \throws UserError if it is killed or takes too long: without its packages, the run would have another
/// identity
bool python_starts(const ProcessSpec& python) {
  std::optional<WaitStatus> ended;
  try {
    ended = Process::spawn(python).wait_for(longest_start);
  } catch (const UserError&) {
    return false;
  }
  if (!ended || !ended->exit_status())
    throw UserError("cannot ask " + python.argv.front() + " where it imports from (" +
                    (ended ? ended->text() : "it took longer than a minute") +
                    "); run the same command again");
  return ended->succeeded();
}

/// Returns the folders that a Python imports from, without the script's folder and the standard library; none
/// if the Python does not start.
/// \throws UserError if the Python is killed or takes too long
std::vector<fs::path> import_folders(const std::string& python,
                                     const std::map<std::string, std::string>& environment) {
  const ScratchFile answer;
  ProcessSpec spec;
  spec.argv = {python, "-c", print_path};
  spec.environment = environment;
  spec.stdout_file = answer.path();
  if (!python_starts(spec))
    return {};
  std::vector<fs::path> folders;
  try {
    for (const Json& folder : read_json(read_file(answer.path(), longest_list)))
      folders.emplace_back(folder.get<std::string>());
  } catch (const UserError&) {
    return {};
  }
  return folders;
}

/// Returns the folder of an editable package; "" of another one.
fs::path editable_folder(const fs::path& facts) {
  std::error_code error;
  const fs::path file = facts / "direct_url.json";
  if (!fs::is_regular_file(file, error))
    return {};
  try {
    const Json origin = read_json(read_file(file, longest_list));
    const std::string url = origin.value("url", "");
    const bool editable = origin.value(Json::json_pointer("/dir_info/editable"), false);
    return editable && url.starts_with("file://") ? fs::path(url.substr(7)) : fs::path();
  } catch (const std::exception&) {
    return {};
  }
}

/// Returns a hash over the Python sources and compiled extensions below a folder, without hidden folders and
/// build outputs.
std::string hash_of_sources(const fs::path& folder, const HashFile& hash_file) {
  const std::set<std::string> skipped = {"build", "dist", "node_modules", "__pycache__", "out"};
  std::map<std::string, std::string> hashes;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    std::error_code none;
    if (at->is_directory(none) && (name.starts_with(".") || skipped.contains(name)))
      at.disable_recursion_pending();
    else if (const fs::path kind = at->path().extension();
             (kind == ".py" || kind == ".so") && at->is_regular_file(none))
      hashes[at->path().lexically_relative(folder).string()] = hash_file(at->path());
  }
  std::string all;
  for (const auto& [name, hash] : hashes)
    all += name + '\0' + hash + '\n';
  return content_hash(all);
}

/// Returns size and time of each file that a package's RECORD lists, so that a file edited in place counts.
/// Leaves out bytecode, which Python writes again by itself.
std::string state_of_files(const fs::path& facts) {
  std::istringstream lines(read_file(facts / "RECORD", longest_list));
  std::string state;
  for (std::string line; std::getline(lines, line);) {
    const std::string name = line.substr(0, line.find(','));
    const fs::path file = facts.parent_path() / name;
    if (file.extension() == ".pyc")
      continue;
    std::error_code error;
    const auto size = fs::file_size(file, error);
    const auto time = fs::last_write_time(file, error);
    state += error ? name + " is not there\n"
                   : name + ' ' + std::to_string(size) + ' ' +
                         std::to_string(time.time_since_epoch().count()) + '\n';
  }
  return state;
}

/// Returns the hash of a package by its folder of facts, NAME-VERSION.dist-info or .egg-info.
std::string hash_of_package(const fs::path& facts, const HashFile& hash_file) {
  if (const fs::path folder = editable_folder(facts); !folder.empty())
    return hash_of_sources(folder, hash_file);
  std::error_code error;
  if (fs::is_regular_file(facts / "RECORD", error))
    return content_hash(hash_file(facts / "RECORD") + '\n' + state_of_files(facts));
  for (const char* list : {"METADATA", "PKG-INFO"})
    if (fs::is_regular_file(facts / list, error))
      return hash_file(facts / list);
  return fs::is_regular_file(facts, error) ? hash_file(facts) : "";
}

}  // namespace

std::string python_of(const std::vector<std::string>& argv) {
  if (argv.empty())
    return "";
  if (is_python(argv.front()))
    return argv.front();
  for (const std::string& word : interpreter_options(argv.front()))
    if (is_python(word))
      return word;
  for (const std::string& text :
       argv) {  // of `env X=1 python`, `numactl ... python` and `sh -c "python ..."`
    std::istringstream words(text);
    for (std::string word; words >> word;)
      if (is_plain_python(word))
        return word;
  }
  return "";
}

Json python_packages(const std::string& python, const std::map<std::string, std::string>& environment,
                     const HashFile& hash_file) {
  Json packages = Json::object();
  const auto add = [&](const std::string& name, const auto& hash) {
    try {
      packages[name] = hash().substr(0, mark_length);
    } catch (const UserError&) {
      packages[name] = "";  // unreadable, now as later
    }
  };
  for (const fs::path& folder : import_folders(python, environment)) {
    std::error_code error;
    if (const std::string name = folder.filename().string();
        name != "site-packages" && name != "dist-packages" && fs::is_directory(folder, error))
      add(folder.string(), [&] { return hash_of_sources(folder, hash_file); });
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
      if (const fs::path kind = at->path().extension(); kind == ".dist-info" || kind == ".egg-info")
        // of two folders with the same version, Python imports from the first
        add(packages.contains(at->path().stem().string()) ? at->path().string() : at->path().stem().string(),
            [&] { return hash_of_package(at->path(), hash_file); });
  }
  return packages;
}

}  // namespace parity::suite
