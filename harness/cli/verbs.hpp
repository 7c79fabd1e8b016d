// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include <CLI/CLI.hpp>

#include "harness/base/exit_code.hpp"

namespace parity::cli {

/// The action that the command line asks for. Set during parsing and called after it.
using Action = std::function<ExitCode()>;

/// A subcommand. `add` adds its options and a parser callback that sets the action.
struct Verb {
  std::string_view name;
  std::string_view summary;
  void (*add)(CLI::App& app, Action& action);
};

/// Returns every subcommand, in the order of --help.
std::span<const Verb> verbs();

void add_list(CLI::App& app, Action& action);
void add_keys(CLI::App& app, Action& action);
void add_run(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);
void add_golden(CLI::App& app, Action& action);
void add_bisect(CLI::App& app, Action& action);
void add_calibrate(CLI::App& app, Action& action);
void add_power(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_completion(CLI::App& app, Action& action);
void add_version(CLI::App& app, Action& action);

/// Adds every subcommand with its options to the parser.
void add_verbs(CLI::App& app, Action& action);

/// Runs the program: parses the command line, runs the subcommand, prints errors. \return the exit status
int run_program(int argc, const char* const* argv);

}  // namespace parity::cli
