// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/logs/regular_steps.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace parity::logs {
namespace {

/// Returns the most frequent distance of neighbouring steps, of equally frequent ones the smallest; 0 if
/// fewer than half of the distances are that one.
int64_t regular_interval(const std::vector<int64_t>& steps) {
  std::vector<int64_t> apart;
  for (size_t i = 1; i < steps.size(); ++i)
    apart.push_back(steps[i] - steps[i - 1]);
  std::ranges::sort(apart);
  int64_t interval = 0;
  std::ptrdiff_t most = 0;
  for (auto at = apart.begin(); at != apart.end();) {
    const auto end = std::upper_bound(at, apart.end(), *at);
    if (end - at > most) {
      most = end - at;
      interval = *at;
    }
    at = end;
  }
  return 2 * most >= std::ssize(apart) ? interval : 0;
}

}  // namespace

std::vector<int64_t> due_steps(const std::vector<int64_t>& steps, const std::vector<int64_t>& rows) {
  std::vector<int64_t> due;
  const int64_t interval = steps.size() == rows.size() ? 0 : regular_interval(steps);
  if (interval == 0)
    return due;
  auto after = steps.begin();
  for (const int64_t row : rows) {
    while (after != steps.end() && *after < row)
      ++after;
    if (after != steps.end() && (*after == row || (*after - row) % interval != 0))
      continue;
    if (after == steps.begin() || (row - *std::prev(after)) % interval == 0)
      due.push_back(row);
  }
  return due;
}

}  // namespace parity::logs
