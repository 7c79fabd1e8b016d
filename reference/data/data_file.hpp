// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace parity::reference {

/// Checks that data.path exists. Every reader calls it first. \throws UserError if it is missing (exit 3)
void require_data_file(const std::filesystem::path& path);

/// Reports that a file has no data to train on. \throws UserError always
[[noreturn]] void refuse_empty_data(const std::filesystem::path& path);

/// Returns the text of data.path. \throws UserError if the file is missing (exit 3), empty, or not UTF-8
/// (naming the byte offset)
std::string read_utf8_data(const std::filesystem::path& path);

}  // namespace parity::reference
