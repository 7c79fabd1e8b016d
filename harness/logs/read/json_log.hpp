// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <string>

#include "harness/logs/channel_names.hpp"
#include "harness/logs/log.hpp"

namespace parity::logs {

/// Reads one JSON object a line. Nested names are joined by "/". A line without a step number is left out.
/// \throws UserError naming the line that is no JSON object, or if no line has a step number
Log read_json_lines(std::istream& stream, const std::string& file, const NameMap& map);

/// Reads a JSON list of objects, as pandas writes by to_json(orient="records"): an entry each.
/// \throws UserError naming the entry that is no JSON object, or if no entry has a step number
Log read_json_list(std::istream& stream, const std::string& file, const NameMap& map);

/// Reads a trainer_state.json of Hugging Face: the entries of log_history.
/// \throws UserError if the text is no JSON object with such a list
Log read_trainer_state(std::istream& stream, const std::string& file, const NameMap& map);

}  // namespace parity::logs
