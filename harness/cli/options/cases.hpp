// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "harness/suite/cases/case.hpp"
#include "harness/suite/cases/find_cases.hpp"
#include "harness/suite/goldens/sizes.hpp"

namespace parity::cli {

/// The arguments that select cases, shared by list, run and golden.
struct CaseOptions {
  suite::CaseFilter filter;
  std::string root = "cases";
  std::string venv;  ///< replaces the virtual environment of cases that have one; "" for none

  void add_to(CLI::App& app);
  /// Adds --venv, for the subcommands that run cases.
  void add_venv_to(CLI::App& app);
  /// Returns the goldens that belong to no case, if the user asked for all cases; else an empty list.
  std::vector<std::filesystem::path> unused_goldens() const;
  /// Returns the sizes of all goldens, if the user asked for all cases. \param limit  "64M"
  std::optional<suite::GoldenSizes> golden_sizes(const std::string& limit) const;
  /// Reads the wanted cases. \throws UserError if there are none
  std::vector<suite::Case> read() const;
  /// Reads the wanted cases without those that run only on request; names the cases left out on stderr.
  /// \throws UserError if none remains
  std::vector<suite::Case> read_to_run() const;
};

/// Adds --max-total-size, shared by the subcommands that check all goldens.
void add_golden_size_option(CLI::App& app, std::string& limit);

}  // namespace parity::cli
