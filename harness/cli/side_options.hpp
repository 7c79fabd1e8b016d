// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "harness/cli/options.hpp"

namespace parity::cli {

/// The words by which a search is told its two sides, and how these are run.
struct SideOptions {
  std::string good, bad;
  std::string root = "cases";
  std::vector<std::string> settings;
  RunOptions run;

  /// \return the option of the good side, which a verb may require
  CLI::Option* add_to(CLI::App& app);
};

}  // namespace parity::cli
