// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/suite/case.hpp"

namespace parity {

/// The cases that have a golden, reduced to it: no checks of their own, only the arms that the golden holds.
std::vector<Case> only_goldens(std::vector<Case> cases);

struct GoldenDiff {
  bool identical = false;
  std::string text;
};

/// Two golden files.
GoldenDiff diff_files(const std::filesystem::path& before, const std::filesystem::path& after);

/// A case's golden against what its last run in folder `out` left.
/// \param wanted  case name or file
/// \param root    folder of the cases
/// \throws UserError if there is no such case, no golden or no run (exit 3)
GoldenDiff diff_with_last_run(const std::string& wanted, const std::filesystem::path& root,
                              const std::filesystem::path& out);

}  // namespace parity
