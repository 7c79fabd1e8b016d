// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

namespace parity::power {

/// The result of a search over rising sizes.
struct SmallestSize {
  std::optional<size_t> index;  ///< of the smallest detected size; not set if none is detected
  bool rising = true;           ///< whether the next larger size was detected as well, as assumed
};

/// Returns the smallest of `count` rising sizes for which `is_seen` holds, by bisection. Calls `is_seen` at
/// most 2 + log2(count) times, and never twice for one size.
///
/// Assumes that a fault detected at one size is detected at each larger one. Tests the largest size first
/// and, at the end, the one above the result.
SmallestSize smallest_size(size_t count, const std::function<bool(size_t index)>& is_seen);

}  // namespace parity::power
