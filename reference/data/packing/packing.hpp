// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "reference/data/documents.hpp"
#include "reference/data/rows.hpp"

namespace parity::reference {

/// How packed rows number their positions.
struct PositionRule {
  bool restart = false;  ///< from 0 in each document, else over the whole row
  int64_t context = 1;   ///< positions of a longer document restart after this many

  /// \param offsets  [S] place of each token in its document
  std::vector<int64_t> positions(const std::vector<int64_t>& offsets) const;
};

/// Returns the rows that data.packing names.
std::unique_ptr<Rows> make_packed_rows(const DataConfig& data, std::unique_ptr<Documents> documents);

/// Rows of documents joined end to end, read token by token.
class JoinedRows : public RowsInOrder {
 public:
  JoinedRows(std::unique_ptr<Documents> documents, int64_t seq_len, PositionRule rule);
  bool positions_restart() const override { return rule_.restart; }

 protected:
  /// Moves to the next document if fewer than `count` tokens of this one remain.
  void require(size_t count);

  std::vector<int64_t> document_;  ///< the one being read
  size_t offset_ = 0;              ///< of the next token in it
  size_t seq_len_;
  PositionRule rule_;

 private:
  void rewind() override;

  std::unique_ptr<Documents> documents_;
  int64_t next_document_ = 0;
};

/// Concatenates documents into one stream and cuts it into S + 1 tokens. Inputs are the first S, labels the
/// last S. An EOS thus predicts the next document's first token. Source: NUMERICS.md 2.5, EOS era.
class StreamRows : public JoinedRows {
 public:
  using JoinedRows::JoinedRows;

 private:
  Row next() override;
};

/// Concatenates inputs d[:-1] and labels d[1:] of each document and splits them into S. No label crosses a
/// document, and EOS is never an input. Source: NUMERICS.md 2.5, HEAD (ConcatThenSplit).
class ConcatThenSplitRows : public JoinedRows {
 public:
  using JoinedRows::JoinedRows;

 private:
  Row next() override;
};

/// Puts each whole document into the first of an update's rows with room. The first document that fits no row
/// begins the next update. The rest of a row is padded: input 0, label -100, position 0. Source:
/// NUMERICS.md 2.5, HEAD (first-fit).
class FirstFitRows : public RowsInOrder {
 public:
  FirstFitRows(std::unique_ptr<Documents> documents, int64_t seq_len, int64_t rows_together,
               PositionRule rule);
  bool positions_restart() const override { return rule_.restart; }

 private:
  Row next() override;
  void rewind() override;
  void fill();
  Row finished(Row row, std::vector<int64_t> offsets) const;

  std::unique_ptr<Documents> documents_;
  size_t seq_len_;
  size_t rows_together_;
  PositionRule rule_;
  int64_t next_document_ = 0;
  std::vector<Row> filled_;
  size_t given_ = 0;
};

}  // namespace parity::reference
