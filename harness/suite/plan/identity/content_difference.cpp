// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/identity/content_difference.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/suite/plan/command_words.hpp"
#include "harness/suite/plan/identity/command_identity.hpp"
#include "harness/suite/plan/identity/file_times.hpp"
#include "harness/suite/plan/identity/input_paths.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

/// Returns the file or folder behind a member of the identity's inputs: the value of a config key that names
/// a path, or an input of the arm.
fs::path input_path(const PlannedRun& run, const std::string& name) {
  const auto key = run.config.find(key_of_input(name));
  if (key != run.config.end())
    for (const InputPath& input : input_paths(key->first, key->second))
      if (input.name == name)
        return input.path;
  return run.case_folder / name;
}

/// When this process began, and so before it planned any run [nanoseconds].
const int64_t process_began =
    std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();

/// Returns whether a file or folder was changed since this process began, or is missing. Cheaper than a hash.
bool may_have_changed(const fs::path& path) {
  const int64_t changed = times_of(path).changed;
  return changed == 0 || changed > process_began;
}

bool any_may_have_changed(const fs::path& path) {
  std::error_code error;
  if (may_have_changed(path))
    return true;
  if (!fs::is_directory(path, error))
    return false;
  return std::ranges::any_of(fs::recursive_directory_iterator(path, error),
                             [](const fs::directory_entry& entry) { return may_have_changed(entry.path()); });
}

}  // namespace

std::string changed_input(const PlannedRun& run) {
  const Json identity = parse_json(run.identity);
  const Json inputs = identity.is_object() ? identity.value("inputs", Json::object()) : Json::object();
  ContentHashes hashes{fs::path()};  // which remembers nothing for later
  for (const auto& [name, hash] : inputs.items()) {
    const fs::path path = input_path(run, name);
    try {
      if (any_may_have_changed(path) && hash != hashes.of_path(path))
        return name;
    } catch (const UserError&) {
      return name;  // it is missing
    }
  }
  return "";
}

std::string content_difference(const PlannedRun& run, const fs::path& trainer, ContentHashes& hashes) {
  const Json identity = parse_json(run.identity);
  try {
    const fs::path program = run.program.empty() ? trainer : run.program;
    if (identity.contains("program") && identity["program"] != hashes.of_program(program))
      return "program " + program.string();
    const Json inputs = identity.value("inputs", Json::object());
    for (const auto& [name, hash] : inputs.items())
      if (hash != hashes.of_path(input_path(run, name)))
        return "input " + name;
    const Json command = identity.value(Json::json_pointer("/surroundings/command"), Json());
    const auto of_program = [&](const fs::path& file) { return hashes.of_program(file); };
    const auto of_path = [&](const fs::path& file) { return hashes.of_path(file); };
    if (!command.is_null() && command != command_identity(expand_case_words(run), of_program, of_path))
      return "the command or its program";
    return "";
  } catch (const UserError& error) {
    return error.what();
  }
}

}  // namespace parity::suite
