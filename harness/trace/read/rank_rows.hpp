// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/measure/digest.hpp"
#include "harness/tensor/placement.hpp"
#include "harness/trace/format/phase.hpp"

namespace parity {

/// What several ranks hold as the same values, and is not.
struct ReplicaDifference {
  int64_t step = 0;
  std::optional<Phase> phase;  ///< of a tensor; none: a channel
  std::string name;
  int64_t rank = 0;
  int64_t other = 0;
  std::vector<int64_t> index = {};   ///< of the first element that differs, in the ranks' own part; or empty
  std::optional<double> value = {};  ///< there, or of the channel
  std::optional<double> other_value = {};
};

/// What one rank recorded of a tensor: all of it, a part, or a term of a sum.
struct RankRow {
  int64_t rank = 0;
  int64_t order = 0;  ///< execution order within the step, on that rank
  Digest digest;      ///< by the indices of the logical tensor
  double norm = 0;    ///< over its own finite elements
  int64_t nan_count = 0;
  std::optional<TensorLayout> layout;  ///< of a part; nothing: it is whole
};

}  // namespace parity
