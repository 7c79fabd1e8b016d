// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/suite/cases/case.hpp"

namespace parity::suite {

/// Returns the command that runs a case again with the same settings.
/// \param out  results folder; added as `--out` unless it is the default
std::vector<std::string> reproduce_command(const Case& source, const std::filesystem::path& out);

}  // namespace parity::suite
