// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/json.hpp"
#include "harness/golden/golden_file.hpp"
#include "harness/suite/cases/case.hpp"

namespace parity {

/// The cases that have a golden, reduced to it: no checks but those against the golden, only the arms that
/// the golden holds.
std::vector<Case> only_goldens(std::vector<Case> cases);

/// How two recordings of one golden differ.
struct GoldenDiff {
  bool identical = false;  ///< the same values
  std::string text;        ///< Markdown
  Json json;               ///< name, identical, differences, notes, reasons
};

GoldenDiff diff_goldens(const std::string& name, const Golden& before, const Golden& after);

/// Two golden files.
GoldenDiff diff_files(const std::filesystem::path& before, const std::filesystem::path& after);

/// A case's golden against what its last run in folder `out` left.
/// \throws UserError if there is no golden or no run (exit 3), or the run was changed by --set
GoldenDiff diff_with_last_run(const Case& source, const std::filesystem::path& out);

}  // namespace parity
