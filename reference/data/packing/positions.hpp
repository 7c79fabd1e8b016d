// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace parity::reference {

/// Returns 0, 1, ..., length - 1: the positions of one sequence, whatever its documents.
std::vector<int64_t> whole_positions(size_t length);

/// Returns the positions of a row of documents: 0 at the row's start and wherever starts[i] is set, else the
/// previous position plus one. Source: NUMERICS.md 2.5, HEAD (a row's start counts as a document's).
std::vector<int64_t> document_positions(const std::vector<bool>& starts);

}  // namespace parity::reference
