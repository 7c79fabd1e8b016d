// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace parity::reference {

/// What every reader of data.path asks first. \throws UserError if there is no such file (exit 3)
void require_data_file(const std::filesystem::path& path);

/// Nothing to train on. \throws UserError
[[noreturn]] void refuse_empty_data(const std::filesystem::path& path);

/// The text of data.path. \throws UserError if the file is missing (exit 3), empty, or not UTF-8 (naming the
/// byte offset)
std::string read_utf8_data(const std::filesystem::path& path);

}  // namespace parity::reference
