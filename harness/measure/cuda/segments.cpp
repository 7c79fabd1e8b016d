// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/cuda/segments.hpp"

#include <algorithm>

namespace parity::measure::cuda {

Segments segments_of(const LogicalPlace& place) {
  std::vector<std::vector<Segment>> blocks(sketch_size);
  for (const PartRun& run : place.runs)
    for (int64_t done = 0; done < run.count;) {
      const int64_t global = run.global + done;
      const int64_t block = sketch_block(global, place.whole_count);
      const int64_t end =
          std::min(run.global + run.count, first_of_sketch_block(block + 1, place.whole_count));
      blocks[static_cast<size_t>(block)].push_back({run.local + done, global, end - global});
      done += end - global;
    }
  Segments segments;
  for (const std::vector<Segment>& block : blocks) {
    const auto first = static_cast<int64_t>(segments.all.size());
    segments.all.insert(segments.all.end(), block.begin(), block.end());
    segments.of_block.push_back({first, static_cast<int64_t>(segments.all.size())});
  }
  return segments;
}

}  // namespace parity::measure::cuda
