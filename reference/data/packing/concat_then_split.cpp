// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/packing/packing.hpp"

namespace parity::reference {

ConcatThenSplitRows::ConcatThenSplitRows(std::unique_ptr<Documents> documents, int64_t seq_len,
                                         PositionRule rule)
    : documents_(std::move(documents)), seq_len_(static_cast<size_t>(seq_len)), rule_(rule) {}

void ConcatThenSplitRows::rewind() {
  next_document_ = 0;
  document_.clear();
  offset_ = 0;
}

Row ConcatThenSplitRows::next() {
  Row row;
  std::vector<int64_t> offsets;
  while (row.tokens.size() < seq_len_) {
    if (offset_ + 1 >= document_.size()) {
      document_ = documents_->document(next_document_++);
      offset_ = 0;
    }
    row.tokens.push_back(document_[offset_]);
    row.labels.push_back(document_[offset_ + 1]);
    offsets.push_back(static_cast<int64_t>(offset_));
    ++offset_;
  }
  row.positions = rule_.positions(offsets);
  return row;
}

}  // namespace parity::reference
