// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "harness/base/error.hpp"
#include "reference/data/packing/packing.hpp"

namespace parity::reference {

FirstFitRows::FirstFitRows(std::unique_ptr<Documents> documents, int64_t seq_len, int64_t rows_together,
                           PositionRule rule)
    : documents_(std::move(documents)),
      seq_len_(static_cast<size_t>(seq_len)),
      rows_together_(static_cast<size_t>(rows_together)),
      rule_(rule) {}

void FirstFitRows::rewind() {
  next_document_ = 0;
  filled_.clear();
  given_ = 0;
}

/// Pads the row and sets its positions. Each padding token is a document of its own.
Row FirstFitRows::finished(Row row, std::vector<int64_t> offsets) const {
  row.tokens.resize(seq_len_, 0);
  row.labels.resize(seq_len_, ignored_label);
  offsets.resize(seq_len_, 0);
  row.positions = rule_.positions(offsets);
  return row;
}

void FirstFitRows::fill() {
  std::vector<Row> rows(rows_together_);
  std::vector<std::vector<int64_t>> offsets(rows_together_);
  while (true) {
    const std::vector<int64_t> document = documents_->document(next_document_);
    const size_t inputs = document.size() - 1;
    if (inputs > seq_len_)
      throw UserError(documents_->name_of(next_document_) + " has " + std::to_string(inputs) +
                      " inputs (first_fit packs whole documents, and data.seq_len is " +
                      std::to_string(seq_len_) + "); lengthen data.seq_len or choose concat_then_split");
    const auto room = std::find_if(rows.begin(), rows.end(),
                                   [&](const Row& row) { return row.tokens.size() + inputs <= seq_len_; });
    if (room == rows.end())
      break;
    std::vector<int64_t>& places = offsets[static_cast<size_t>(room - rows.begin())];
    for (size_t i = 0; i < inputs; ++i) {
      room->tokens.push_back(document[i]);
      room->labels.push_back(document[i + 1]);
      places.push_back(static_cast<int64_t>(i));
    }
    ++next_document_;
  }
  filled_.clear();
  for (size_t i = 0; i < rows_together_; ++i)
    filled_.push_back(finished(std::move(rows[i]), std::move(offsets[i])));
  given_ = 0;
}

Row FirstFitRows::next() {
  if (given_ == filled_.size())
    fill();
  return filled_[given_++];
}

}  // namespace parity::reference
