// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reference/data/formats/stream_content.hpp"

namespace parity::reference {

/// Returns the tokens of a Parquet file whose rows are documents: lists of integers of any width.
/// \param column  that holds them; empty = "tokens"
/// \throws UserError as read_parquet, and for a column of another type
StoredTokens read_parquet_tokens(const std::filesystem::path& path, const std::string& column);

/// Returns the texts of a Parquet file, one a row.
/// \param column  that holds them; empty = "text"
/// \throws UserError as read_parquet, for a column of another type, and for a text that is not UTF-8
std::vector<std::string> read_parquet_texts(const std::filesystem::path& path, const std::string& column);

}  // namespace parity::reference
