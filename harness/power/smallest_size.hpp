// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

namespace parity {

/// What a search over rising sizes found.
struct SmallestSize {
  std::optional<size_t> index;  ///< of the smallest size that is seen; nothing: not even the largest is
  bool rising = true;           ///< whether the next larger size was seen as well, as the search assumes
};

/// The smallest of `count` rising sizes that `is_seen`, by bisection: at most 2 + log2(count) questions, none
/// twice.
///
/// Assumes that what is seen at one size is seen at each larger one. Looks at the largest first, and at the
/// end at the one above what it found.
SmallestSize smallest_size(size_t count, const std::function<bool(size_t index)>& is_seen);

}  // namespace parity
