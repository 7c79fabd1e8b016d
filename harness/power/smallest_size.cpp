// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/power/smallest_size.hpp"

#include <map>

namespace parity::power {

SmallestSize smallest_size(size_t count, const std::function<bool(size_t index)>& is_seen) {
  std::map<size_t, bool> known;
  const auto seen = [&](size_t index) {
    const auto found = known.find(index);
    return found != known.end() ? found->second : known.emplace(index, is_seen(index)).first->second;
  };
  if (count == 0 || !seen(count - 1))
    return {};
  size_t low = 0, high = count - 1;  // high is detected, no index below low is
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (seen(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return {high, high + 1 == count || seen(high + 1)};
}

}  // namespace parity::power
