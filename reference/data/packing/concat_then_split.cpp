// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/packing/packing.hpp"

namespace parity::reference {

Row ConcatThenSplitRows::next() {
  Row row;
  std::vector<int64_t> offsets;
  while (row.tokens.size() < seq_len_) {
    require(2);
    row.tokens.push_back(document_[offset_]);
    row.labels.push_back(document_[offset_ + 1]);
    offsets.push_back(static_cast<int64_t>(offset_));
    ++offset_;
  }
  row.positions = rule_.positions(offsets);
  return row;
}

}  // namespace parity::reference
