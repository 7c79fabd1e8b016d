// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace parity::cli {

/// Prints a file of any size to stdout, block by block. \throws UserError if it cannot be read
void print_file(const std::filesystem::path& file);

}  // namespace parity::cli
