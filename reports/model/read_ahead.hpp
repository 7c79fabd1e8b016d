// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <future>
#include <utility>

namespace parity::reports {

/// Calls `use(read(i))` for each i below `count`, in order, and reads the next one meanwhile in another
/// thread. Two are in memory at a time, and `read` is never called twice at once. Errors of either come out
/// of this call.
template <class Read, class Use>
void read_ahead(size_t count, Read read, Use use) {
  if (count == 0)
    return;
  auto next = std::async(std::launch::async, read, size_t{0});
  for (size_t i = 0; i < count; ++i) {
    auto item = next.get();
    if (i + 1 < count)
      next = std::async(std::launch::async, read, i + 1);
    use(std::move(item));
  }
}

}  // namespace parity::reports
