// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"

namespace parity::suite {

/// Returns the hash of a program with its libraries, or of a file.
using HashFile = std::function<std::string(const std::filesystem::path&)>;

/// Returns the words after "#!" in the first line of a script; none for another file.
/// \param name  the script, looked up in PATH
std::vector<std::string> interpreter_options(const std::string& name);

/// Returns what decides what a command computes, apart from its inputs and its environment:
///
///     {"argv": [...], "words": HASH, "program": HASH, "interpreter": HASH, "files": {WORD: HASH}}
///
/// `words` hashes the working folder's path and argv. `program` is argv[0], looked up in PATH; `interpreter`
/// is the program that its "#!" line names. `files` are the words that name a file relative to the working
/// folder, alone or after '=' (`--config=run.yaml`). Files that the command line does not name (modules,
/// data) count only if the arm lists them as inputs.
///
/// \param argv  the command, with the placeholders of the case replaced
Json command_identity(const std::vector<std::string>& argv, const HashFile& hash_program,
                      const HashFile& hash_file);

}  // namespace parity::suite
