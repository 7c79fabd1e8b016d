// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace parity::reference {

/// Reads a one-dimensional array of integers, as numpy.save writes it: uint8, int16, uint16, int32, uint32 or
/// int64, little-endian. \throws UserError "FILE: ..." for anything else
/// Source: the format description in NumPy's documentation, numpy.lib.format, versions 1 to 3.
std::vector<int64_t> read_npy_integers(const std::filesystem::path& path);

}  // namespace parity::reference
