// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/suite/case.hpp"

namespace parity {

/// A case that failed or was not judged, and what --set had changed about it.
struct FailedCase {
  std::string name;
  std::filesystem::path file;  ///< empty for one that was not judged
  std::vector<std::string> settings;
};

/// The cases that failed, or that the suite did not get to, in the last run whose results lie in `out`; empty
/// if all hold.
/// \throws UserError if there are no results there (exit 3)
std::vector<FailedCase> failed_cases(const std::filesystem::path& out);

/// Only these, changed as they were then.
std::vector<Case> only_failed(std::vector<Case> cases, const std::vector<FailedCase>& failed);

}  // namespace parity
