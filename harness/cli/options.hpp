// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "harness/suite/cases/case.hpp"
#include "harness/suite/cases/config_schema.hpp"
#include "harness/suite/cases/find_cases.hpp"
#include "harness/suite/run_suite.hpp"

namespace parity::cli {

/// The arguments that select cases, shared by list, run and golden.
struct CaseOptions {
  CaseFilter filter;
  std::string root = "cases";

  void add_to(CLI::App& app);
  /// Returns the goldens that belong to no case, if the user asked for all cases; else an empty list.
  std::vector<std::filesystem::path> unused_goldens() const;
  /// Returns the sizes of all goldens, if the user asked for all cases. \param limit  "64M"
  std::optional<GoldenSizes> golden_sizes(const std::string& limit) const;
  /// Reads the wanted cases. \throws UserError if there are none
  std::vector<Case> read() const;
  /// Reads the wanted cases without those that run only on request, which it names on stderr.
  /// \throws UserError if none remains
  std::vector<Case> read_to_run() const;
};

/// Adds --drift, shared by the subcommands that compare with goldens.
void add_drift_option(CLI::App& app, std::string& drift);

/// Adds --max-total-size, shared by the subcommands that check all goldens.
void add_golden_size_option(CLI::App& app, std::string& limit);

/// The options that control runs, shared by run, calibrate and golden.
struct RunOptions {
  std::string out = "out/suite";
  std::string trainer;
  std::optional<int> jobs;
  bool no_cache = false;
  std::string cache_size = "10G";
  bool keep_traces = false;
  bool json = false;

  void add_to(CLI::App& app);
  SuiteOptions suite_options() const;
};

/// Returns the path of the trainer: `given`, or else $PARITY_TRAINER, or else the one next to this program.
std::filesystem::path find_trainer(const std::string& given);
/// Adds --trainer, shared by the subcommands that use the trainer or its schema.
void add_trainer_option(CLI::App& app, std::string& trainer);
/// Returns the schema of the trainer, from the file next to it. \throws UserError if there is none (exit 3)
ConfigSchema trainer_schema(const std::string& given);

/// Returns the command line of this process, with argv[0] shortened to the program's name.
std::vector<std::string> own_command_line();

/// Returns {"name", "version", "commit", "dirty"} of this build.
Json producer();

}  // namespace parity::cli
