// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace parity {

/// A command of our Python package.
struct PackageCall {
  std::vector<std::string> words;
  std::string problem;  ///< begin of error messages, such as "cannot read a.pt"
  std::string needs;    ///< packages of others that the command imports, for pip
  std::chrono::seconds limit = std::chrono::hours(24);
};

/// Returns the folder that holds the package `parity`: that of this program's wheel, or of the source tree.
/// "" if it is in neither.
std::string python_package_folder();

/// Runs `python3 -m parity WORDS` and waits for its end. The variable PARITY_PYTHON names another
/// interpreter. The package is that of this program's wheel or source tree, else the interpreter's own.
/// \throws UserError with the sentence that the package printed and its exit code; also (exit 3) if Python or
///         the package is missing, or if the command takes longer than its limit
void run_python_package(const PackageCall& call);

}  // namespace parity
