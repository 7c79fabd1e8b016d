// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/attention/masks/position_zero.hpp"

namespace parity::reference {

std::vector<int64_t> position_zero_documents(std::span<const int64_t> positions_S) {
  std::vector<int64_t> ids;
  ids.reserve(positions_S.size());
  int64_t id = -1;
  for (const int64_t position : positions_S) {
    id += position == 0 ? 1 : 0;
    ids.push_back(id);
  }
  return ids;
}

}  // namespace parity::reference
