// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

namespace parity::reference {

/// Tokens [begin, begin + count) of a sequence, in one pass.
struct Chunk {
  int64_t sequence = 0;  ///< number of its request
  int64_t slot = 0;
  int64_t begin = 0;
  int64_t count = 0;

  bool operator==(const Chunk&) const = default;
};

/// Decides, for continuous batching, which sequences run, in which slots, and which of their tokens the next
/// pass has. It only keeps lengths.
class RunningSequences {
 public:
  struct Limits {
    int64_t sequences = 1;  ///< that run at a time
    int64_t tokens = 1;     ///< of a pass
    bool whole = false;     ///< each pass has whole sequences, and at least one
  };
  /// \param lengths  tokens of each prompt, at least 1; prompts start in this order
  RunningSequences(const std::vector<int64_t>& lengths, const Limits& limits);

  /// Returns the chunks of the next pass, in the order in which their sequences started. Each has as many
  /// tokens that the model has not seen as the limit leaves. Empty once all sequences are done.
  std::vector<Chunk> next_pass();
  /// Returns whether the chunk ends with its sequence's last token, so that the next token can be chosen.
  bool is_last(const Chunk& chunk) const;
  /// Adds one token to a sequence.
  void append(int64_t sequence);
  /// Ends a sequence and frees its slot.
  void end(int64_t sequence);

 private:
  struct Running {
    int64_t sequence = 0, slot = 0;
    int64_t seen = 0;  ///< tokens that the model has processed
  };

  Limits limits_;
  std::vector<int64_t> lengths_;
  std::deque<int64_t> waiting_;
  std::vector<Running> running_;
  std::vector<int64_t> free_slots_;  ///< the lowest last
};

}  // namespace parity::reference
