// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/tensors/first_difference.hpp"

#include <algorithm>
#include <set>

namespace parity::compare {

std::optional<trace::TensorKey> first_difference(const trace::Trace& healthy, const trace::Trace& faulty) {
  std::set<trace::TensorKey> unequal;
  for (const trace::ReplicaDifference& difference : faulty.replica_differences())
    if (difference.phase)
      unequal.insert({difference.step, *difference.phase, difference.name});
  for (const trace::SketchRow& row : healthy.sketches()) {
    const trace::SketchRow* other = faulty.find_sketch(row.key);
    if (unequal.contains(row.key) || (other && other->digest != row.digest))
      return row.key;
  }
  return std::nullopt;
}

}  // namespace parity::compare
