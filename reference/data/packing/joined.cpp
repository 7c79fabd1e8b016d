// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/packing/packing.hpp"

namespace parity::reference {

JoinedRows::JoinedRows(std::unique_ptr<Documents> documents, int64_t seq_len, PositionRule rule)
    : seq_len_(static_cast<size_t>(seq_len)), rule_(rule), documents_(std::move(documents)) {}

void JoinedRows::require(size_t count) {
  if (document_.size() - offset_ >= count)
    return;
  document_ = documents_->document(next_document_++);
  offset_ = 0;
}

void JoinedRows::rewind() {
  next_document_ = 0;
  document_.clear();
  offset_ = 0;
}

}  // namespace parity::reference
