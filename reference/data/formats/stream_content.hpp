// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace parity::reference {

/// All tokens of a file that holds one stream.
struct StoredTokens {
  std::vector<int64_t> tokens;
  std::vector<size_t> ends;  ///< one past each document's last token; empty if the format marks none
};

}  // namespace parity::reference
