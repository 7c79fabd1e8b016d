// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "harness/suite/case.hpp"
#include "harness/suite/find_cases.hpp"
#include "harness/suite/run_suite.hpp"

namespace parity::cli {

/// Which cases: shared by list, run and golden.
struct CaseOptions {
  CaseFilter filter;
  std::string root = "cases";

  void add_to(CLI::App& app);
  /// The wanted cases, read. \throws UserError if there are none
  std::vector<Case> read() const;
  /// Without those that are not run unasked, which it tells on stderr. \throws UserError if none is left
  std::vector<Case> read_to_run() const;
};

/// How to run them: shared by run and golden.
struct RunOptions {
  std::string out = "out/suite";
  std::string trainer;
  int jobs = 0;
  bool no_cache = false;
  bool json = false;

  void add_to(CLI::App& app);
  SuiteOptions suite_options() const;
};

/// The command line of this process, with argv[0] shortened to the program's name.
std::vector<std::string> own_command_line();

/// {"name", "version", "commit", "dirty"} of this build.
Json producer();

}  // namespace parity::cli
