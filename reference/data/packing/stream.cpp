// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/packing/packing.hpp"

namespace parity::reference {

StreamRows::StreamRows(std::unique_ptr<Documents> documents, int64_t seq_len, PositionRule rule)
    : documents_(std::move(documents)), seq_len_(static_cast<size_t>(seq_len)), rule_(rule) {}

void StreamRows::rewind() {
  next_document_ = 0;
  document_.clear();
  offset_ = 0;
}

Row StreamRows::next() {
  std::vector<int64_t> tokens, offsets;
  while (tokens.size() <= seq_len_) {
    if (offset_ == document_.size()) {
      document_ = documents_->document(next_document_++);
      offset_ = 0;
    }
    tokens.push_back(document_[offset_]);
    offsets.push_back(static_cast<int64_t>(offset_));
    ++offset_;
  }
  offsets.pop_back();
  return {{tokens.begin(), tokens.end() - 1}, {tokens.begin() + 1, tokens.end()}, rule_.positions(offsets)};
}

}  // namespace parity::reference
