// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/trace/read/trace.hpp"

namespace parity::compare {

/// Module of the operator tensors by which a trainer records the checksums of its collectives
/// (operator_tensor.hpp): "comm@12:all_reduce over dp:in.sent#1" before, and ":out.received#1" after.
inline constexpr const char* collective_module = "comm";

/// Where a difference between two runs arose, by the checksums of their collectives.
struct CollectiveFinding {
  enum class Place {
    compute,  ///< a rank put in other bytes, although all it received before was the same
    wire,     ///< all ranks put in the same bytes, and a rank received others
  };
  Place place = Place::compute;
  std::vector<int64_t> ranks;  ///< that computed otherwise, or that received other bytes
  int64_t step = 0;
  std::string what;        ///< "all_reduce over dp of ranks 0, 1 (call 12 of the update, in grad)"
  bool all_ranks = false;  ///< for `wire`: every rank that took part received other bytes

  /// Returns "rank 1 computed other values before all_reduce over dp, ..." or "bytes changed on the way ...".
  std::string text() const;
};

/// Finds whether a rank computed otherwise or bytes changed on the way. Looks at the first collective on each
/// rank whose checksum differs between two runs.
/// \return nothing if no collective differs, or none was recorded by both runs
std::optional<CollectiveFinding> find_wire_or_compute(const trace::Trace& expected,
                                                      const trace::Trace& actual);

}  // namespace parity::compare
