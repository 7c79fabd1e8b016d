// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace parity {

/// Runs `python3 -m parity WORDS` and waits for its end. The variable PARITY_PYTHON names another
/// interpreter. The package is that of this program's wheel or source tree, else the interpreter's own.
/// \param problem  begin of error messages, such as "cannot read a.pt"
/// \throws UserError with the sentence that the package printed and its exit code; also (exit 3) if Python or
///         the package is missing
void run_python_package(const std::vector<std::string>& words, const std::string& problem);

}  // namespace parity
