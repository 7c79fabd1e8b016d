// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/packing/packing.hpp"

namespace parity::reference {

Row StreamRows::next() {
  std::vector<int64_t> tokens, offsets;
  while (tokens.size() <= seq_len_) {
    require(1);
    tokens.push_back(document_[offset_]);
    offsets.push_back(static_cast<int64_t>(offset_));
    ++offset_;
  }
  offsets.pop_back();
  return {{tokens.begin(), tokens.end() - 1}, {tokens.begin() + 1, tokens.end()}, rule_.positions(offsets)};
}

}  // namespace parity::reference
