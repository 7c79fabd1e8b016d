// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "harness/suite/cases/case.hpp"

namespace parity {

/// The one case that words on a command line mean: a file, or a name below `root`.
/// \throws UserError if they mean none (the nearest is told) or several, or its file cannot be read
Case named_case(const std::string& words, const std::filesystem::path& root);

/// "CASE:ARM" taken apart; "" for an arm that is not named. What exists as a file is all CASE.
struct ArmWords {
  std::string source, arm;

  explicit ArmWords(const std::string& words);
};

/// \throws UserError with the nearest name and those there are, unless the case has an arm of this name
void require_arm(const Case& source, const std::string& name);

}  // namespace parity
