// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "reference/data/formats/stream_content.hpp"

namespace parity::reference {

/// Returns the tokens and documents of Megatron's MMapIndexedDataset: PREFIX.idx and PREFIX.bin.
///
/// The index has "MMIDIDX\0\0", a version of 1 (uint64), a code of the tokens' type (uint8), the numbers of
/// sequences and of document bounds (uint64 each), the length of each sequence (int32), its first byte in the
/// .bin file (int64), and the first sequence of each document and one past the last (int64). Sequences of a
/// document are joined in order. Source: Megatron-LM, megatron/core/datasets/indexed_dataset.py.
/// \param index  the .idx file
/// \throws UserError for a missing .bin file (exit 3), another magic number, version or type, sizes that
/// disagree, a sequence beyond the .bin file, bounds out of order, or the modes of a multimodal index
StoredTokens read_megatron_tokens(const std::filesystem::path& index);

}  // namespace parity::reference
