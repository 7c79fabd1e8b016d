// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "harness/cli/verbs/verbs.hpp"

namespace parity::cli {

// The subcommands of `parity bisect`. The callback of each sets the action.

void add_bisect_commits(CLI::App& app, Action& action);
void add_bisect_golden(CLI::App& app, Action& action);
void add_bisect_options(CLI::App& app, Action& action);
void add_bisect_traces(CLI::App& app, Action& action);
void add_bisect_versions(CLI::App& app, Action& action);

}  // namespace parity::cli
