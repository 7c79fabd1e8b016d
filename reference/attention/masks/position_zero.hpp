// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace parity::reference {

/// Returns the document of each token of a row, by positions of 0. id = number of zeros up to and including
/// the token, minus one. Tokens before the first 0 are of document -1. Source: NUMERICS.md 2.1, positions era
/// (torchtitan since #3149).
std::vector<int64_t> position_zero_documents(std::span<const int64_t> positions_S);

}  // namespace parity::reference
