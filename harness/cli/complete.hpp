// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace parity::cli {

/// What may stand at the end of a command line.
struct Completion {
  struct Candidate {
    std::string text;
    std::string description;
  };
  enum class Paths { none, files, folders };

  std::vector<Candidate> candidates;
  Paths paths = Paths::none;  ///< whether the shell should offer paths too
};

/// Verbs and options come from the parser itself; values from the option's type name: case names and tags
/// from the cases, config keys from the trainer's schema, enum values from their tables. What cannot be read
/// gives no candidates: a shell that completes is no place for errors.
///
/// \param words  of the command line behind the program's name; the last one is being typed (it may be empty)
Completion complete(const CLI::App& app, const std::vector<std::string>& words);

/// The verb that shells ask: `parity __complete WORD...` prints a line a candidate, "TEXT<tab>DESCRIPTION",
/// and ":files" or ":folders" at the end.
inline constexpr const char* complete_verb = "__complete";
void print_completion(const Completion& completion);

}  // namespace parity::cli
