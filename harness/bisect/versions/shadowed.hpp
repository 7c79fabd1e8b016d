// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/bisect/versions/environments.hpp"
#include "harness/bisect/versions/question.hpp"

namespace parity::bisect {

/// Refuses to compare environments whose runs import a copy instead of an installed package.
///
/// Python imports from the folder of the script, and from PYTHONPATH, before it imports what is installed.
/// Two environments then run the same code.
/// \param packages  those that differ between the two
/// \return the arms that could not be asked, since their command does not start with {python}
/// \throws UserError (exit 3) with arm, package and place of the first such copy
std::vector<std::string> require_installed_imports(const VersionQuestion& question, const Pins& pins,
                                                   const std::vector<std::string>& packages,
                                                   Environments& environments);

}  // namespace parity::bisect
