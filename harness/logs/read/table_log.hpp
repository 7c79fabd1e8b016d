// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <string>

#include "harness/logs/channel_names.hpp"
#include "harness/logs/log.hpp"

namespace parity::logs {

/// Reads a table with a header line, separated by commas or tabs (RFC 4180: quotes, doubled quotes, line ends
/// within quotes). An empty cell has no value. A cell with text is left out.
/// \throws UserError naming the line that has another number of cells, or no column of steps
Log read_table(std::istream& stream, const std::string& file, const NameMap& map);

/// Returns whether a line is the header of a table: it has separators and a step number's name.
bool is_table_header(const std::string& line, const NameMap& map);

}  // namespace parity::logs
