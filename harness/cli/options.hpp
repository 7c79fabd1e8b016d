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

/// Which cases: shared by list, run and golden.
struct CaseOptions {
  CaseFilter filter;
  std::string root = "cases";

  void add_to(CLI::App& app);
  /// Goldens of no case, if nothing was asked for but everything.
  std::vector<std::filesystem::path> unused_goldens() const;
  /// What all goldens take, if nothing was asked for but everything. \param limit  "64M"
  std::optional<GoldenSizes> golden_sizes(const std::string& limit) const;
  /// The wanted cases, read. \throws UserError if there are none
  std::vector<Case> read() const;
  /// Without those that are not run unasked, which it tells on stderr. \throws UserError if none is left
  std::vector<Case> read_to_run() const;
};

/// --drift, shared by the verbs that compare with goldens.
void add_drift_option(CLI::App& app, std::string& drift);

/// --max-total-size, shared by the verbs that look at all goldens.
void add_golden_size_option(CLI::App& app, std::string& limit);

/// How to run them: shared by run, calibrate and golden.
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

/// The trainer named by hand, by $PARITY_TRAINER, or the one beside this program.
std::filesystem::path find_trainer(const std::string& given);
/// --trainer, shared by the verbs that ask it or its schema.
void add_trainer_option(CLI::App& app, std::string& trainer);
/// Its schema, which lies beside it. \throws UserError if there is none (exit 3)
ConfigSchema trainer_schema(const std::string& given);

/// The command line of this process, with argv[0] shortened to the program's name.
std::vector<std::string> own_command_line();

/// {"name", "version", "commit", "dirty"} of this build.
Json producer();

}  // namespace parity::cli
