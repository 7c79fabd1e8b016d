// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

namespace parity::suite {

/// The size limits of a trainer's log [bytes].
struct LogBounds {
  uint64_t most = uint64_t{8} << 20;  ///< a longer log is cut to its head and its tail
  uint64_t head = uint64_t{1} << 20;
  uint64_t tail = uint64_t{1} << 20;
};

/// A log to which another process appends (O_APPEND) and that must not fill the disk. Output written during a
/// cut may be lost.
class BoundedLog {
 public:
  explicit BoundedLog(std::filesystem::path file, LogBounds bounds = {})
      : file_(std::move(file)), bounds_(bounds) {}

  /// Replaces the middle of a log that is too long by "[... 123 bytes left out here ...]". Never throws: a
  /// log that cannot be cut stays long.
  void trim();

 private:
  std::filesystem::path file_;
  LogBounds bounds_;
  uint64_t left_out_ = 0;
  uint64_t note_bytes_ = 0;  ///< of the note that the last cut wrote
};

}  // namespace parity::suite
