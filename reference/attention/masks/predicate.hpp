// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace parity::reference {

/// Returns whether query q of row b may attend to key kv.
using Predicate = std::function<bool(int64_t b, int64_t q, int64_t kv)>;

/// Returns a predicate that allows a pair if all of `predicates` do.
template <class... Predicates>
auto and_masks(const Predicates&... predicates) {
  return [=](int64_t b, int64_t q, int64_t kv) { return (predicates(b, q, kv) && ...); };
}
inline Predicate and_masks(std::vector<Predicate> predicates) {
  if (predicates.size() == 1)
    return std::move(predicates.front());
  return [all = std::move(predicates)](int64_t b, int64_t q, int64_t kv) {
    return std::ranges::all_of(all, [&](const Predicate& each) { return each(b, q, kv); });
  };
}

}  // namespace parity::reference
