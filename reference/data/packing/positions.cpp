// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/packing/positions.hpp"

#include <numeric>

namespace parity::reference {

std::vector<int64_t> whole_positions(size_t length) {
  std::vector<int64_t> positions(length);
  std::iota(positions.begin(), positions.end(), 0);
  return positions;
}

std::vector<int64_t> document_positions(const std::vector<bool>& starts) {
  std::vector<int64_t> positions(starts.size());
  for (size_t i = 1; i < starts.size(); ++i)
    positions[i] = starts[i] ? 0 : positions[i - 1] + 1;
  return positions;
}

}  // namespace parity::reference
