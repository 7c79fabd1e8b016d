// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/measure/tensor/digest.hpp"
#include "harness/tensor/placement.hpp"
#include "harness/trace/format/phase.hpp"

namespace parity::trace {

/// Values that several ranks should hold as replicas, but that differ.
struct ReplicaDifference {
  int64_t step = 0;
  std::optional<Phase> phase;  ///< of a tensor; not set for a channel
  std::string name;
  int64_t rank = 0;
  int64_t other = 0;
  /// Coordinates of the first differing element, in the ranks' own part. Empty if unknown.
  std::vector<int64_t> index = {};
  /// Value of that element, or of the channel.
  std::optional<double> value = {};
  std::optional<double> other_value = {};
};

/// One rank's record of a tensor: the whole, a part, or a term of a sum.
struct RankRow {
  int64_t rank = 0;
  int64_t order = 0;       ///< execution order within the step, on that rank
  measure::Digest digest;  ///< over the indices of the logical tensor
  double norm = 0;         ///< over its own finite elements
  int64_t nan_count = 0;
  std::optional<TensorLayout> layout;  ///< of a part; not set for a whole tensor
};

}  // namespace parity::trace
