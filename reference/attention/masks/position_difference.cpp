// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/attention/masks/position_difference.hpp"

namespace parity::reference {

std::vector<int64_t> position_difference_documents(std::span<const int64_t> positions_S) {
  std::vector<int64_t> ids;
  ids.reserve(positions_S.size());
  int64_t id = 0;
  for (size_t i = 0; i < positions_S.size(); ++i) {
    if (i > 0 && positions_S[i] - positions_S[i - 1] != 1)
      ++id;
    ids.push_back(id);
  }
  return ids;
}

}  // namespace parity::reference
