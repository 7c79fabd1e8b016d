// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/tensor/shape.hpp"
#include "reference/data/rows.hpp"

namespace parity::reference {

/// Rows for one forward and backward pass.
struct MicroBatch {
  int64_t rows = 0;                ///< B
  int64_t seq_len = 0;             ///< S
  std::vector<int64_t> tokens;     ///< [B, S]
  std::vector<int64_t> labels;     ///< [B, S]: the token after each, or ignored_label
  std::vector<int64_t> positions;  ///< [B, S]
  bool whole_positions = true;     ///< they are 0 .. S-1 in each row
  int64_t valid_tokens = 0;        ///< labels that count
  /// Further inputs of a caller's loss, by name: one number for each token, [B, S] each.
  std::map<std::string, std::vector<double>> numbers = {};

  Shape shape() const { return {rows, seq_len}; }
};

/// Appends a row to a batch. \param row  has the batch's seq_len tokens
void append_row(MicroBatch& batch, const Row& row);

/// Totals of an update over all ranks, as far as known when one of its micro-batches is differentiated.
struct UpdateTotals {
  int64_t micro_batches = 1;
  int64_t valid_tokens = 0;  ///< labels that count; 0 = unknown, in a streamed update
};

/// All micro-batches of one optimizer update on this rank, fetched before its first forward pass.
struct UpdateBatches {
  std::vector<MicroBatch> micro_batches;
  UpdateTotals totals;
};

/// One of several equal, contiguous shares of an update's rows.
struct RowShare {
  int64_t index = 0;
  int64_t count = 1;
};

/// Packs sequences into micro-batches. Rows depend neither on the number of micro-batches nor on that of
/// shares: 1 micro-batch of 4 rows and 4 of 1 row hold the same rows.
class Loader {
 public:
  /// \param share  the rows of an update that are loaded here
  /// \throws UserError for a file that is missing, empty, malformed, or beyond the limits
  Loader(const DataConfig& config, const DataLimits& limits, RowShare share = {});

  /// Returns the next update's batches. \throws UserError if a token is beyond the vocabulary.
  UpdateBatches next();

  /// Returns the next micro-batch, so that an update need not be in memory as a whole. Call it
  /// data.micro_batches times for each update. \throws UserError as next()
  MicroBatch next_micro_batch();

  /// \param valid_tokens  over all shares of the update that was loaded last
  /// \throws UserError if no label counts
  void check_update(int64_t valid_tokens) const;

  /// Returns the number of an update's rows before this share.
  int64_t first_row() const { return share_.index * (config_.global_batch / share_.count); }

  /// Returns the number of sequences that this share has read so far.
  int64_t sequences_read() const { return position_ / share_.count + taken_; }

  /// Returns the number of the next update's first sequence, which is the loader's only state between
  /// updates.
  int64_t position() const { return position_; }
  void set_position(int64_t position) { position_ = position; }

  /// Returns how many rows before position() each of data.paths gave; empty without a blend.
  std::vector<int64_t> rows_by_source() const { return rows_->rows_by_source(position_); }

  /// Returns a digest of the row at position(), by which a resumed run finds that it reads other data.
  int64_t next_row_digest() const;

  /// Returns whether positions restart inside rows, and so show documents.
  bool positions_restart() const { return rows_->positions_restart(); }

 private:
  Row checked_row(int64_t sequence) const;

  DataConfig config_;
  int64_t vocab_size_;
  std::unique_ptr<Rows> rows_;
  RowShare share_;
  int64_t position_ = 0;
  int64_t taken_ = 0;  ///< rows of this share that the update has read so far
};

}  // namespace parity::reference
