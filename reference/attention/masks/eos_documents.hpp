// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace parity::reference {

/// Returns the document of each token of a row, by EOS: id[0] = 0, id[i] = number of EOS before token i. An
/// EOS belongs to the document that it ends. Source: NUMERICS.md 2.1, EOS era (get_document_mask_mod up to
/// 2026-04).
std::vector<int64_t> eos_documents(std::span<const int64_t> tokens_S, int64_t eos_id);

}  // namespace parity::reference
