// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace parity {

/// Columns padded to their widest cell (each shown on one line, harmless), two spaces apart, no spaces at
/// line ends. Numbers stand right.
///
/// \param header  one cell a column; empty: no header line
/// \param rows    each with as many cells as the others
std::string text_table(const std::vector<std::string>& header,
                       const std::vector<std::vector<std::string>>& rows, const std::string& indent = "");

}  // namespace parity
