// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace parity::reference {

/// 0, 1, ..., length - 1: one sequence, whatever lies in it.
std::vector<int64_t> whole_positions(size_t length);

/// Positions of a row of documents: 0 at the row's begin and wherever starts[i] is set, else one more than
/// before. Source: NUMERICS.md 2.5, HEAD (a row's begin counts as a document's).
std::vector<int64_t> document_positions(const std::vector<bool>& starts);

}  // namespace parity::reference
