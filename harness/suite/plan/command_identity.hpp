// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/base/json.hpp"

namespace parity {

/// Hash of a program with its libraries, or of a file.
using HashFile = std::function<std::string(const std::filesystem::path&)>;

/// Returns what decides what a command does beside its inputs and its environment:
///
///     {"argv": [...], "words": HASH, "program": HASH, "interpreter": HASH, "files": {WORD: HASH}}
///
/// `words` is over the bytes of the working folder and of argv. `program` is argv[0], looked up in PATH, and
/// `interpreter` what its line "#!" names. `files` are the words that name a file, alone or after '='
/// (`--config=run.yaml`), from the working folder. What a program reads without being told on its command
/// line (modules, data) stands here only if the arm lists it as an input.
///
/// \param argv  with the placeholders of the case replaced
Json command_identity(const std::vector<std::string>& argv, const HashFile& hash_program,
                      const HashFile& hash_file);

}  // namespace parity
