// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "harness/cli/options/runs.hpp"

namespace parity::cli {

/// The arguments that name the two sides of a search, and the options for their runs.
struct SideOptions {
  std::string good, bad;
  std::string root = "cases";
  std::vector<std::string> settings;
  RunOptions run;

  /// Adds the options. \return the option of the good side, so that a subcommand may require it
  CLI::Option* add_to(CLI::App& app);
};

}  // namespace parity::cli
