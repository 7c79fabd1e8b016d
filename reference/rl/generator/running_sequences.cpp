// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/generator/running_sequences.hpp"

#include <algorithm>

#include "harness/base/error.hpp"

namespace parity::reference {

RunningSequences::RunningSequences(const std::vector<int64_t>& lengths, const Limits& limits)
    : limits_(limits), lengths_(lengths) {
  require(limits.sequences >= 1 && limits.tokens >= 1, "sequences need a slot and a token a pass");
  for (size_t i = 0; i < lengths.size(); ++i)
    waiting_.push_back(static_cast<int64_t>(i));
  for (int64_t slot = limits.sequences; slot-- > 0;)
    free_slots_.push_back(slot);
}

std::vector<Chunk> RunningSequences::next_pass() {
  for (; !waiting_.empty() && !free_slots_.empty(); waiting_.pop_front(), free_slots_.pop_back())
    running_.push_back({waiting_.front(), free_slots_.back(), 0});
  std::vector<Chunk> pass;
  int64_t left = limits_.tokens;
  for (Running& running : running_) {
    const int64_t length = lengths_[static_cast<size_t>(running.sequence)];
    const int64_t begin = limits_.whole ? 0 : running.seen;
    const int64_t count = limits_.whole ? length : std::min(length - begin, left);
    if (count == 0 || (limits_.whole && count > left && !pass.empty()))
      continue;
    pass.push_back({running.sequence, running.slot, begin, count});
    running.seen = begin + count;
    left = std::max<int64_t>(left - count, 0);
  }
  return pass;
}

bool RunningSequences::is_last(const Chunk& chunk) const {
  return chunk.begin + chunk.count == lengths_[static_cast<size_t>(chunk.sequence)];
}

void RunningSequences::append(int64_t sequence) {
  ++lengths_[static_cast<size_t>(sequence)];
}

void RunningSequences::end(int64_t sequence) {
  const auto ended = std::ranges::find(running_, sequence, &Running::sequence);
  require(ended != running_.end(), "a sequence ends that does not run");
  free_slots_.push_back(ended->slot);
  running_.erase(ended);
}

}  // namespace parity::reference
