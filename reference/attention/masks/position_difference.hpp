// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace parity::reference {

/// Returns the document of each token of a row, by jumps of position. A document begins wherever a position
/// is not the previous position plus one. The first token is always of document 0. Source: NUMERICS.md 2.1
/// (transformers find_packed_sequence_indices; verl's copy).
std::vector<int64_t> position_difference_documents(std::span<const int64_t> positions_S);

}  // namespace parity::reference
