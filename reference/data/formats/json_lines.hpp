// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"
#include "reference/data/formats/stream_content.hpp"

namespace parity::reference {

/// Receives the number of a line, from 1, and its JSON, which is discarded (is_discarded()) if it is invalid.
using JsonLineReader = std::function<void(int64_t number, Json line)>;

/// Reads data.path line by line. Blank lines count, and are left out. \throws UserError as read_utf8_data
void for_each_json_line(const std::filesystem::path& path, const JsonLineReader& reader);

/// Returns the tokens of a file whose lines are documents: objects with a list of integers.
/// \param member  that holds them; empty = "tokens"
/// \throws UserError as read_utf8_data, and with its line for what is not such an object
StoredTokens read_json_lines_tokens(const std::filesystem::path& path, const std::string& member);

/// Returns the texts of a file whose lines are objects with a text.
/// \param member  that holds it; empty = "text"
/// \throws UserError as read_json_lines_tokens
std::vector<std::string> read_json_lines_texts(const std::filesystem::path& path, const std::string& member);

}  // namespace parity::reference
