// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "harness/base/json.hpp"

namespace parity::reference {

/// JSON that somebody else wrote, in which no object has a key twice; parsers keep the last without a word.
/// \param file  name for messages
/// \throws UserError if it is no JSON, nests deeper than deepest_json, or has a key twice
Json read_unique_json(std::string_view text, const std::string& file);

}  // namespace parity::reference
