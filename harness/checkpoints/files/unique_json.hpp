// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "harness/base/json/json.hpp"

namespace parity::checkpoints {

/// Parses JSON of another program and rejects duplicate keys. Ordinary parsers silently keep the last one.
/// \param file  name for messages
/// \throws UserError if the text is not JSON, nests deeper than deepest_json, or has a key twice
Json read_unique_json(std::string_view text, const std::string& file);

}  // namespace parity::checkpoints
