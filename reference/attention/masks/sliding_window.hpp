// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace parity::reference {

/// Allows q - kv < window: a query attends to itself and the window - 1 keys before it. Varlen kernels count
/// only the earlier keys, and call the same window `window - 1`. Combine it with Causal. Source:
/// NUMERICS.md 2.1 (get_sliding_window_mask_mod).
struct SlidingWindow {
  int64_t window = 1;

  bool operator()(int64_t /*b*/, int64_t q, int64_t kv) const { return q - kv < window; }
};

}  // namespace parity::reference
