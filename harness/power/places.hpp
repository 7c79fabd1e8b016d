// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "harness/trace/format/fault.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::power {

/// Draws random places for faults of one kind and phase: steps and tensors of a run that recorded all of
/// them.
///
/// Each draw takes one of the recorded tensors of that phase from update 1 on, with equal probability. It
/// leaves out tensors that are 0 throughout. If the kind needs a previous step or two rows, it also leaves
/// out tensors without them.
class Places {
 public:
  Places(const trace::Trace& healthy, trace::FaultKind kind, trace::Phase phase, uint64_t seed);

  bool empty() const { return keys_.empty(); }
  /// Returns the n-th draw. The place is the same for every size, so a search over sizes varies only the
  /// size.
  /// \param size  relative size, for a kind that has one
  trace::Fault draw(int64_t n, double size = 0) const;

 private:
  trace::FaultKind kind_;
  trace::Phase phase_;
  uint64_t seed_;
  std::vector<trace::TensorKey> keys_;
};

}  // namespace parity::power
