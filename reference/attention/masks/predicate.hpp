// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace parity::reference {

/// Whether query q of row b may look at key kv.
using Predicate = std::function<bool(int64_t b, int64_t q, int64_t kv)>;

/// What all of them allow.
template <class... Predicates>
auto and_masks(const Predicates&... predicates) {
  return [=](int64_t b, int64_t q, int64_t kv) { return (predicates(b, q, kv) && ...); };
}

}  // namespace parity::reference
