// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <CLI/CLI.hpp>

#include "harness/cli/options/sides.hpp"
#include "harness/cli/verbs/verbs.hpp"

namespace parity::cli {

/// Minimises a failing input, if the first side is an operator case; nothing otherwise.
std::optional<ExitCode> bisect_operator(const SideOptions& options);

// The subcommands of `parity bisect`. The callback of each sets the action.

void add_bisect_commits(CLI::App& app, Action& action);
void add_bisect_golden(CLI::App& app, Action& action);
void add_bisect_options(CLI::App& app, Action& action);
void add_bisect_traces(CLI::App& app, Action& action);
void add_bisect_versions(CLI::App& app, Action& action);

}  // namespace parity::cli
