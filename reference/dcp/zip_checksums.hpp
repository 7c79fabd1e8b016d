// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace parity::reference {

/// Returns the CRC-32 of bytes, as zip files have it (polynomial 0x04C11DB7, reflected).
uint32_t crc32_of(std::string_view bytes);

/// Compares every record of a zip archive, as torch.save writes it, with its CRC-32 in the directory.
/// LibTorch's reader does not, so a damaged weight would be loaded. A checksum of zero is none: PyTorch
/// writes it where torch.serialization.set_crc32_options(False) was called.
/// \param bytes  the whole archive
/// \throws FormatError for a record with other bytes, or without a place in the archive
/// Source: PKWARE's APPNOTE.TXT 6.3.10, sections 4.3.12 to 4.3.16 and 4.5.3.
void check_zip_checksums(std::string_view bytes);

}  // namespace parity::reference
