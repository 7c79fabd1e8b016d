// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "harness/cli/verbs/verbs.hpp"

namespace parity::cli {

/// Adds every subcommand with its options to the parser.
void add_verbs(CLI::App& app, Action& action);

/// Runs the program: parses the command line, runs the subcommand, prints errors. \return the exit status
int run_program(int argc, const char* const* argv);

}  // namespace parity::cli
