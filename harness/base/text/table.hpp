// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace parity {

/// Returns a table whose columns are padded to their widest cell, two spaces apart, without trailing spaces.
/// Each cell is escaped to one line; numbers are right-aligned.
///
/// \param header  one cell per column; empty: no header line
/// \param rows    each with the same number of cells
std::string text_table(const std::vector<std::string>& header,
                       const std::vector<std::vector<std::string>>& rows, const std::string& indent = "");

}  // namespace parity
