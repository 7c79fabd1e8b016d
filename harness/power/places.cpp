// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/power/places.hpp"

#include "harness/base/error.hpp"

namespace parity::power {
namespace {

/// Returns the output of SplitMix64 for a state.
uint64_t mixed(uint64_t x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

bool is_place(const trace::SketchRow& row, trace::FaultKind kind, trace::Phase phase) {
  if (row.key.phase != phase || row.key.step < 1 || !(row.norm > 0))
    return false;
  if (kind == trace::FaultKind::swapped_shard)
    return !row.shape.empty() && row.shape.front() > 1;
  return kind != trace::FaultKind::stale || phase == trace::Phase::param || row.key.step > 1;
}

}  // namespace

Places::Places(const trace::Trace& healthy, trace::FaultKind kind, trace::Phase phase, uint64_t seed)
    : kind_(kind),
      phase_(phase),
      seed_(mixed(seed ^ mixed((static_cast<uint64_t>(kind) << 8) | static_cast<uint64_t>(phase)))) {
  for (const trace::SketchRow& row : healthy.sketches())
    if (is_place(row, kind, phase))
      keys_.push_back(row.key);
}

trace::Fault Places::draw(int64_t n, double size) const {
  require(!keys_.empty(), "a place is drawn from a run without places");
  const uint64_t drawn = mixed(seed_ + static_cast<uint64_t>(n));
  const trace::TensorKey& key = keys_[drawn % keys_.size()];
  trace::Fault fault;
  fault.kind = kind_;
  fault.steps = {key.step};
  fault.phase = phase_;
  fault.name = key.name;
  fault.size = size;
  fault.seed = mixed(drawn) >> 32;  // short, so that a user can type it
  return fault;
}

}  // namespace parity::power
