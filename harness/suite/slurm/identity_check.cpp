// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/slurm/identity_check.hpp"

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/suite/plan/command_words.hpp"
#include "harness/suite/plan/identity/command_identity.hpp"
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

}  // namespace

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
