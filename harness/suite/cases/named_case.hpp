// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "harness/suite/cases/case.hpp"

namespace parity::suite {

/// Returns the one case that an argument of a command line names: a file, or a name below `root`.
/// \throws UserError if it matches no case (names the nearest) or several, or the file cannot be read
Case named_case(const std::string& words, const std::filesystem::path& root);

/// The two halves of "CASE:ARM". `arm` is "" if no arm is named; the name of an existing file is all CASE.
struct ArmWords {
  std::string source, arm;

  explicit ArmWords(const std::string& words);
};

/// Requires that a case has an arm of this name.
/// \throws UserError otherwise, with the nearest name and all names
void require_arm(const Case& source, const std::string& name);

}  // namespace parity::suite
