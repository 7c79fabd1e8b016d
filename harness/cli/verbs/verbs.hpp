// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "harness/base/exit_code.hpp"

namespace parity::cli {

/// The action that the command line asks for. Set during parsing and called after it.
using Action = std::function<ExitCode()>;

/// A subcommand: `add` adds its options and a parser callback that sets the action.
struct Verb {
  std::string_view name, summary;
  void (*add)(CLI::App& app, Action& action);
};

/// Adds subcommands in the order in which --help lists them.
inline void add_verbs(CLI::App& app, Action& action, std::span<const Verb> verbs) {
  for (const Verb& verb : verbs)
    verb.add(*app.add_subcommand(std::string(verb.name), std::string(verb.summary)), action);
}

// The subcommands. Each function adds the options of one and a parser callback that sets the action.

void add_list(CLI::App& app, Action& action);
void add_keys(CLI::App& app, Action& action);
void add_run(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);
void add_audit(CLI::App& app, Action& action);
void add_explain(CLI::App& app, Action& action);
void add_reveal(CLI::App& app, Action& action);
void add_import(CLI::App& app, Action& action);
void add_join(CLI::App& app, Action& action);
void add_golden(CLI::App& app, Action& action);
void add_bisect(CLI::App& app, Action& action);
void add_calibrate(CLI::App& app, Action& action);
void add_power(CLI::App& app, Action& action);
void add_repeat(CLI::App& app, Action& action);
void add_coverage(CLI::App& app, Action& action);
void add_fuzz(CLI::App& app, Action& action);
void add_job(CLI::App& app, Action& action);
void add_rank(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_completion(CLI::App& app, Action& action);
void add_version(CLI::App& app, Action& action);

}  // namespace parity::cli
