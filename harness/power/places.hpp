// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "harness/trace/format/fault.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity {

/// Seeded places for faults of one kind and phase: steps and tensors of a run that recorded all of them.
///
/// Each draw takes one of the recorded tensors of that phase from update 1 on, all as likely. A tensor that
/// is 0 throughout is left out, and where the kind needs one, a tensor without a step before it or with fewer
/// than two rows.
class Places {
 public:
  Places(const Trace& healthy, FaultKind kind, Phase phase, uint64_t seed);

  bool empty() const { return keys_.empty(); }
  /// The n-th draw; the same for every size, so that a search over sizes compares like with like.
  /// \param size  of a kind that has one
  Fault draw(int64_t n, double size = 0) const;

 private:
  FaultKind kind_;
  Phase phase_;
  uint64_t seed_;
  std::vector<TensorKey> keys_;
};

}  // namespace parity
