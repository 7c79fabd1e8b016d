// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "harness/suite/run_suite.hpp"
#include "harness/suite/runs/place.hpp"

namespace parity::cli {

/// The options that say where runs execute.
struct PlaceOptions {
  std::string site;  ///< "": this machine
  std::string sites = "parity.toml";
  std::string partition, account;
  std::optional<int> max_jobs;
  bool attach = false;

  void add_to(CLI::App& app);
  /// Returns the place; null for this machine.
  /// \throws UserError for an unknown site, or an option that needs --on
  std::unique_ptr<suite::RunPlace> make(const suite::SuiteOptions& suite) const;
};

}  // namespace parity::cli
