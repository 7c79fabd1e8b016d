// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace parity::reference {

/// Returns the tokens of a nanoGPT file: uint16 numbers without a header. Source: nanoGPT,
/// data/openwebtext/prepare.py.
///
/// Any file with an even number of bytes has this form, except one that begins with the magic number of
/// llm.c, NumPy or Megatron: those are refused, since their headers would be read as tokens.
/// \throws UserError naming the file and its size
std::vector<int64_t> read_nanogpt_tokens(const std::filesystem::path& path);

/// Returns the tokens of an llm.c file: 256 int32 (magic, version, number of tokens), then the tokens.
/// Magic 20240520 with version 1 has uint16 tokens, 20240801 with version 7 uint32. Source: llm.c,
/// dev/data/data_common.py and llmc/dataloader.h.
/// \throws UserError for another magic or version, or if the size is not that of the header's tokens
std::vector<int64_t> read_llmc_tokens(const std::filesystem::path& path);

}  // namespace parity::reference
