// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "harness/suite/run_suite.hpp"

namespace parity::cli {

/// The options that control runs, shared by run, calibrate, golden, and the bisections that run cases.
struct RunOptions {
  std::string out = "out/suite";
  std::string trainer;
  std::optional<int> jobs;
  bool no_cache = false;
  std::string cache_size = "10G";
  bool keep_traces = false;
  bool json = false;

  void add_to(CLI::App& app);
  /// Adds the options of a search that runs a case at each of its points.
  /// \param holds  what DIR holds besides, for the text of --out: "; the record is in DIR/bisect", or ""
  void add_search_options(CLI::App& app, const std::string& holds);
  suite::SuiteOptions suite_options() const;
};

/// Adds --drift, shared by the subcommands that compare with goldens.
void add_drift_option(CLI::App& app, std::string& drift);

}  // namespace parity::cli
