// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "harness/trace/hdf5/input_file.hpp"

namespace parity::golden {

/// A golden's seal: dataset /seal, 16 bytes with the digest of the whole file, computed with these 16 bytes
/// zero. The content digest covers the values. The seal covers every byte: also provenance, history, the
/// space between objects, and the length of the file. It does not protect against someone who can compute a
/// digest; version control does.

/// Adds an empty seal to a file that is being written. \return its offset in the file
uint64_t add_seal(hid_t file);

/// Fills the seal once the file is closed. \throws UserError if the file cannot be written
void close_seal(const std::filesystem::path& path, uint64_t offset);

/// Returns whether the seal matches; nothing if the file has none.
std::optional<bool> seal_holds(const trace::InputFile& file);

}  // namespace parity::golden
