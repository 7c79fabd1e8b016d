// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace parity {

/// Returns the SHA-256 of bytes as 64 hexadecimal digits (FIPS 180-4).
std::string sha256(std::string_view bytes);

/// Returns the SHA-256 of a file, as sha256sum prints it. \throws UserError as read_file
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace parity
