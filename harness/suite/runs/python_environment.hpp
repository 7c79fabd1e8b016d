// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/suite/cases/case.hpp"

namespace parity::suite {

/// Returns why a case's Python cannot run its commands: it was not made, or lacks packages that the case
/// names. The sentence ends with the command that makes it. Empty: it can, or the case has none.
std::string missing_environment(const PythonSpec& python);

}  // namespace parity::suite
