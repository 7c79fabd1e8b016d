// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "reference/config/run_config.hpp"
#include "reference/data/formats/stream_content.hpp"

namespace parity::reference {

/// Returns the format of data.path: data.format, or what the name says: .npy, .idx (Megatron), .parquet,
/// .jsonl, else TOML.
/// \throws UserError for a .bin file without data.format, since several formats have that name
TokenFormat format_of(const DataConfig& data);

/// Returns the tokens of a file of any format but TOML.
/// \throws UserError for a missing, empty or malformed file, or a token beyond the vocabulary, with its place
StoredTokens read_stored_tokens(const DataConfig& data, int64_t vocab_size);

/// Returns the documents of such a file, of two tokens or more: those that Megatron's index lists, the
/// rows of a Parquet file or the lines of JSON, else cut after each data.eos_id, or before each in a file of
/// llm.c, whose documents begin with it.
/// \throws UserError as read_stored_tokens, and for a document of fewer than two tokens
std::vector<std::vector<int64_t>> read_stored_documents(const DataConfig& data, int64_t vocab_size);

}  // namespace parity::reference
