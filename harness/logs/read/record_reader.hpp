// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/logs/read/line_reader.hpp"

namespace parity::logs {

/// Reads the records of a table (RFC 4180: quotes, doubled quotes, line ends within quotes).
class RecordReader {
 public:
  RecordReader(LineReader& lines, char separator) : lines_(lines), separator_(separator) {}

  /// Reads the next record. Returns false at the end of the file.
  /// \throws UserError for a quote that is never closed, or a record longer than longest_line
  bool next();
  /// Splits a record of one line. Returns false if a quote is still open at its end.
  bool split(std::string line);
  /// Returns the cells, valid until the next record.
  const std::vector<std::string_view>& cells() const { return cells_; }

 private:
  void split_plain();
  /// Appends a line with quotes. Returns whether a quote is open behind it.
  bool append(bool quoted);
  void take_cells();

  LineReader& lines_;
  char separator_;
  std::string line_, text_;   ///< text_: the cells without quotes, one behind the other
  std::vector<size_t> ends_;  ///< of the cells in text_
  std::vector<std::string_view> cells_;
};

}  // namespace parity::logs
