// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

namespace parity {

/// How much of a trainer's output is kept.
struct LogBounds {
  uint64_t most = uint64_t{8} << 20;  ///< a longer log is cut to its head and its tail
  uint64_t head = uint64_t{1} << 20;
  uint64_t tail = uint64_t{1} << 20;
};

/// A log that somebody appends to (O_APPEND) and that must not fill the disk. What is written in the moment
/// of a cut may be lost.
class BoundedLog {
 public:
  explicit BoundedLog(std::filesystem::path file, LogBounds bounds = {})
      : file_(std::move(file)), bounds_(bounds) {}

  /// Cuts the middle out of a log that grew too long: "[... 123 bytes left out here ...]". Never throws: a
  /// log that cannot be cut only stays long.
  void trim();

 private:
  std::filesystem::path file_;
  LogBounds bounds_;
  uint64_t left_out_ = 0;
  uint64_t note_bytes_ = 0;  ///< of the note that the last cut wrote
};

}  // namespace parity
