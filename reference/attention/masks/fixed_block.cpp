// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/attention/masks/fixed_block.hpp"

#include <algorithm>

namespace parity::reference {

int64_t left_padding_of(std::span<const int64_t> positions_S) {
  const auto zeros =
      std::ranges::find_if(positions_S, [](int64_t position) { return position != 0; }) - positions_S.begin();
  return std::max<int64_t>(zeros - 1, 0);
}

}  // namespace parity::reference
