// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace parity::reference {

/// A label that does not count. Source: PyTorch's default ignore_index.
constexpr int64_t ignored_label = -100;

/// One sequence of a batch.
struct Row {
  std::vector<int64_t> tokens;     ///< [S]
  std::vector<int64_t> labels;     ///< [S]: the token after each token, or ignored_label
  std::vector<int64_t> positions;  ///< [S]: for RoPE; they may also show documents
};

}  // namespace parity::reference
