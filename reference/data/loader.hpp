// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
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

  Shape shape() const { return {rows, seq_len}; }
};

/// What is known of an update when one of its micro-batches is differentiated.
struct UpdateTotals {
  int64_t micro_batches = 1;
  int64_t valid_tokens = 0;  ///< labels that count in all of them; 0: not known yet, they are streamed
};

/// Everything one optimizer update trains on, fetched before its first forward pass.
struct UpdateBatches {
  std::vector<MicroBatch> micro_batches;
  int64_t valid_tokens = 0;  ///< over all micro-batches

  UpdateTotals totals() const { return {static_cast<int64_t>(micro_batches.size()), valid_tokens}; }
};

/// Packs sequences into micro-batches. Rows do not depend on the number of micro-batches: 1 of 4 rows and 4
/// of 1 row hold the same.
class Loader {
 public:
  /// \throws UserError for a file that is missing, empty, malformed, or beyond the limits
  Loader(const DataConfig& config, const DataLimits& limits);

  /// The next update's batches. \throws UserError if no label counts, or a token is beyond the vocabulary.
  UpdateBatches next();

  /// next() in parts, so that an update need not lie in memory as a whole: data.micro_batches times a
  /// micro-batch, then the end. \throws UserError as next()
  MicroBatch next_micro_batch();
  void end_update(int64_t valid_tokens) const;

  /// Number of the next sequence: all the state there is.
  int64_t position() const { return position_; }
  void set_position(int64_t position) { position_ = position; }

  /// Whether positions start over inside rows, so that documents can be seen in them.
  bool positions_restart() const { return rows_->positions_restart(); }

 private:
  void append_row(MicroBatch& batch, int64_t sequence) const;

  DataConfig config_;
  int64_t vocab_size_;
  std::unique_ptr<Rows> rows_;
  int64_t position_ = 0;
};

}  // namespace parity::reference
