// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace parity::reference {

/// Allows q >= kv: no query attends to later keys.
struct Causal {
  bool operator()(int64_t /*b*/, int64_t q, int64_t kv) const { return q >= kv; }
};

}  // namespace parity::reference
