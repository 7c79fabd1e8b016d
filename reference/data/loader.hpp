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
  /// What a loss of the caller's own looks at besides, by name: a number a token, [B, S] each.
  std::map<std::string, std::vector<double>> numbers = {};

  Shape shape() const { return {rows, seq_len}; }
};

/// Behind the batch's rows. \param row  of as many tokens as the batch's seq_len
void append_row(MicroBatch& batch, const Row& row);

/// What is known of an update when one of its micro-batches is differentiated, over all ranks.
struct UpdateTotals {
  int64_t micro_batches = 1;
  int64_t valid_tokens = 0;  ///< labels that count in all of them; 0: not known yet, they are streamed
};

/// Everything one optimizer update trains on here, fetched before its first forward pass.
struct UpdateBatches {
  std::vector<MicroBatch> micro_batches;
  UpdateTotals totals;
};

/// Which of several equal, contiguous parts of an update's rows.
struct RowShare {
  int64_t index = 0;
  int64_t count = 1;
};

/// Packs sequences into micro-batches. Rows do not depend on the number of micro-batches nor of shares: 1 of
/// 4 rows and 4 of 1 row hold the same.
class Loader {
 public:
  /// \param share  the rows of an update that are loaded here
  /// \throws UserError for a file that is missing, empty, malformed, or beyond the limits
  Loader(const DataConfig& config, const DataLimits& limits, RowShare share = {});

  /// The next update's batches. \throws UserError if a token is beyond the vocabulary.
  UpdateBatches next();

  /// next() in parts, so that an update need not lie in memory as a whole: data.micro_batches times a
  /// micro-batch. \throws UserError as next()
  MicroBatch next_micro_batch();

  /// \param valid_tokens  over all shares of the update that was loaded last
  /// \throws UserError if no label counts
  void check_update(int64_t valid_tokens) const;

  /// Rows of an update that come before this share's.
  int64_t first_row() const { return share_.index * (config_.global_batch / share_.count); }

  /// Sequences that this share has had so far.
  int64_t sequences_read() const { return position_ / share_.count + taken_; }

  /// Number of the next update's first sequence: all the state there is between updates.
  int64_t position() const { return position_; }
  void set_position(int64_t position) { position_ = position; }

  /// Whether positions start over inside rows, so that documents can be seen in them.
  bool positions_restart() const { return rows_->positions_restart(); }

 private:
  Row checked_row(int64_t sequence) const;

  DataConfig config_;
  int64_t vocab_size_;
  std::unique_ptr<Rows> rows_;
  RowShare share_;
  int64_t position_ = 0;
  int64_t taken_ = 0;  ///< rows of this share that the update has had so far
};

}  // namespace parity::reference
