// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace parity::reference {

/// q - kv < window: a query looks at itself and the window - 1 keys before it. What counts previous keys
/// only, as varlen kernels do, calls the same window window - 1. To be ANDed with causal. Source:
/// NUMERICS.md 2.1 (get_sliding_window_mask_mod).
struct SlidingWindow {
  int64_t window = 1;

  bool operator()(int64_t /*b*/, int64_t q, int64_t kv) const { return q - kv < window; }
};

}  // namespace parity::reference
