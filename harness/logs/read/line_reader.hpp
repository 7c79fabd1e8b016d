// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <utility>
#include <vector>

namespace parity::logs {

/// Largest line, or record of a table, that is read.
inline constexpr size_t longest_line = 4U << 20U;

/// Reads a log line by line. Memory holds one block and one line.
class LineReader {
 public:
  /// \param stream  is read ahead
  /// \param file    name for messages
  /// \param longest  bytes that a line may have
  LineReader(std::istream& stream, std::string file, size_t longest = longest_line)
      : stream_(stream), file_(std::move(file)), longest_(longest) {}

  /// Reads the next line, without its end. Returns false at the end of the file.
  /// \throws UserError for a line that is too long, a NUL byte, or a failed read
  bool next(std::string& line);
  int64_t number() const { return number_; }  ///< of the line that was read last, from 1
  const std::string& file() const { return file_; }
  /// Sets what refuse() names in place of the last line: "entry 3".
  void name_place(std::string place) { place_ = std::move(place); }
  /// Throws UserError "cannot read FILE (line N: CAUSE); HINT".
  [[noreturn]] void refuse(const std::string& cause, const std::string& hint) const;

 private:
  /// Fills the block. Returns false at the end of the file.
  bool fill();
  void append(std::string& line, size_t count);

  std::istream& stream_;
  std::string file_, place_;
  size_t longest_;
  int64_t number_ = 0;
  std::vector<char> block_;
  size_t at_ = 0, end_ = 0;  ///< of the block: the bytes that no line has yet
};

}  // namespace parity::logs
