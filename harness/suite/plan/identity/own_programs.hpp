// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace parity::suite {

/// Returns the path of a program or library of parity: next to this program, or in the folder `bin` next to
/// this program's folder. The bare name if it is in neither.
std::filesystem::path own_program(const std::string& name);

}  // namespace parity::suite
