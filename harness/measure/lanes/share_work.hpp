// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace parity::measure {

/// Calls `work(i)` once for each i in [0, count), on up to `threads` threads including the caller's. The
/// assignment of indices to threads is unspecified, so each result needs a place of its own.
/// \param work  must not throw
inline void share_work(int64_t count, int threads, const std::function<void(int64_t)>& work) {
  std::atomic<int64_t> next = 0;
  const auto take = [&] {
    for (int64_t i = next++; i < count; i = next++)
      work(i);
  };
  std::vector<std::jthread> others;
  for (int64_t i = 1; i < threads && i < count; ++i)
    others.emplace_back(take);
  take();
}

}  // namespace parity::measure
