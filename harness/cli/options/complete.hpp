// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace parity::cli {

/// The candidates for the last word of a command line.
struct Completion {
  struct Candidate {
    std::string text;
    std::string description;
  };
  enum class Paths { none, files, folders };

  std::vector<Candidate> candidates;
  Paths paths = Paths::none;  ///< whether the shell should offer paths too
};

/// Returns the completion of a command line.
///
/// The parser supplies subcommands and options. The option's type name decides the source of values: cases
/// for case names and tags, the trainer's schema for config keys, tables for enum values. A source that
/// cannot be read gives no candidates, since a completing shell cannot show errors.
///
/// \param words  of the command line after the program's name; the last one is being typed (it may be empty)
Completion complete(const CLI::App& app, const std::vector<std::string>& words);

/// The subcommand that shells call: `parity __complete WORD...` prints a line for each candidate,
/// "TEXT<tab>DESCRIPTION", and ":files" or ":folders" at the end.
inline constexpr const char* complete_verb = "__complete";
void print_completion(const Completion& completion);

}  // namespace parity::cli
