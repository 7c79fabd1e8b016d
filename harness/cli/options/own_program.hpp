// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/base/json/json.hpp"

namespace parity::cli {

/// Returns the command line of this process, with argv[0] shortened to the program's name.
std::vector<std::string> own_command_line();

/// Returns {"name", "version", "commit", "dirty"} of this build.
Json producer();

}  // namespace parity::cli
