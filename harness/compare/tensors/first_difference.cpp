// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/tensors/first_difference.hpp"

#include <algorithm>
#include <set>

namespace parity {

std::optional<TensorKey> first_difference(const Trace& healthy, const Trace& faulty) {
  std::set<TensorKey> unequal;
  for (const ReplicaDifference& difference : faulty.replica_differences())
    if (difference.phase)
      unequal.insert({difference.step, *difference.phase, difference.name});
  for (const SketchRow& row : healthy.sketches()) {
    const SketchRow* other = faulty.find_sketch(row.key);
    if (unequal.contains(row.key) || (other && other->digest != row.digest))
      return row.key;
  }
  return std::nullopt;
}

}  // namespace parity
