// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/golden/golden_file.hpp"
#include "harness/suite/cases/case.hpp"

namespace parity::suite {

/// Returns the cases that have a golden, reduced to the checks against it and the arms that it holds.
std::vector<Case> only_goldens(std::vector<Case> cases);

/// The difference between two recordings of one golden.
struct GoldenDiff {
  bool identical = false;  ///< both have the same values
  std::string text;        ///< Markdown
  Json json;               ///< name, identical, differences, notes, reasons
};

GoldenDiff diff_goldens(const std::string& name, const golden::Golden& before, const golden::Golden& after);

/// Returns the difference between two golden files.
GoldenDiff diff_files(const std::filesystem::path& before, const std::filesystem::path& after);

/// Returns the difference between a case's golden and its last run in folder `out`.
/// \throws UserError if there is no golden or no run (exit 3), or the run was changed by --set
GoldenDiff diff_with_last_run(const Case& source, const std::filesystem::path& out);

}  // namespace parity::suite
