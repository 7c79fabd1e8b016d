// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "reference/config/run_config.hpp"
#include "reference/data/row.hpp"

namespace parity::reference {

/// An endless supply of rows, addressed by number. A resumed run needs only the number of its next row.
class Rows {
 public:
  virtual ~Rows() = default;

  virtual Row row(int64_t index) = 0;
  /// Returns whether positions restart inside rows, and so show documents.
  virtual bool positions_restart() const { return false; }
  /// Returns how many of the first \p rows rows come from each of data.paths; empty without a blend.
  virtual std::vector<int64_t> rows_by_source(int64_t rows) const;
};

/// Rows that can only be computed in order. Reading a row before the last one starts from the first row
/// again. The last one is kept: a checkpoint reads it for its digest before the next update does.
class RowsInOrder : public Rows {
 public:
  Row row(int64_t index) final;

 protected:
  virtual Row next() = 0;
  virtual void rewind() = 0;

 private:
  int64_t next_index_ = 0;
  Row last_;  ///< row next_index_ - 1
};

/// The limits that the data must meet.
struct DataLimits {
  int64_t vocab_size = 0;
  int64_t positions = 0;  ///< rows of the RoPE table
};

/// Returns a config for each file: data.path, or each of data.paths; of the data itself if it reads none.
std::vector<DataConfig> configs_of_files(const DataConfig& data);

/// Returns the rows that a config names: a corpus cut into sequences, packed documents, or the rows of a
/// token file; shuffled and blended as it says.
/// \throws UserError for a file that is missing, empty, malformed, or beyond the limits, naming file and
/// place
std::unique_ptr<Rows> make_rows(const DataConfig& data, const DataLimits& limits);

/// Returns the token that ends a document; -1 if there is none.
int64_t eos_id_of(const DataConfig& data);

}  // namespace parity::reference
