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
  std::vector<int64_t> labels;     ///< [S]: what follows each token, or ignored_label
  std::vector<int64_t> positions;  ///< [S]: what RoPE turns by, and where documents may be seen
};

}  // namespace parity::reference
