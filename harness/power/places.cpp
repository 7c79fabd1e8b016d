// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/power/places.hpp"

#include "harness/base/error.hpp"
#include "harness/base/hash.hpp"

namespace parity::power {
namespace {

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
      seed_(
          splitmix64(seed ^ splitmix64((static_cast<uint64_t>(kind) << 8) | static_cast<uint64_t>(phase)))) {
  for (const trace::SketchRow& row : healthy.sketches())
    if (is_place(row, kind, phase))
      keys_.push_back(row.key);
}

trace::Fault Places::draw(int64_t n, double size) const {
  require(!keys_.empty(), "a place is drawn from a run without places");
  const uint64_t drawn = splitmix64(seed_ + static_cast<uint64_t>(n));
  const trace::TensorKey& key = keys_[drawn % keys_.size()];
  trace::Fault fault;
  fault.kind = kind_;
  fault.steps = {key.step};
  fault.phase = phase_;
  fault.name = key.name;
  fault.size = size;
  fault.seed = splitmix64(drawn) >> 32;  // short, so that a user can type it
  return fault;
}

}  // namespace parity::power
