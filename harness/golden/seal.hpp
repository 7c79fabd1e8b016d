// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "harness/trace/hdf5/input_file.hpp"

namespace parity {

/// A golden's seal: dataset /seal, 16 bytes that hold the digest of the whole file with these 16 bytes
/// zero. The content digest covers the values; the seal every byte: provenance, history, the space between
/// objects, and the length of the file. It does not keep out someone who can compute a digest; version
/// control does that.

/// Adds the empty seal to a file that is being written. \return its offset in the file
uint64_t add_seal(hid_t file);

/// Fills it in, once the file is closed. \throws UserError if the file cannot be written
void close_seal(const std::filesystem::path& path, uint64_t offset);

/// Whether the seal holds; nothing if the file has none.
std::optional<bool> seal_holds(const InputFile& file);

}  // namespace parity
