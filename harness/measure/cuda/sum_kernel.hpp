// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/measure/cuda/team.hpp"

namespace parity::measure::cuda {

/// A half-open range in an array of numbers.
struct Range {
  int64_t first;
  int64_t end;
};

/// Sums ranges of an array, number by number; each kernel block processes one range. All threads copy the
/// numbers into the block's shared memory; the first thread adds them.
struct SumKernel {
  static constexpr int threads = 256;
  static constexpr int tile = 2048;
  struct Shared {
    double values[tile];
    double sum;
  };

  const double* values;
  const Range* ranges;
  double* sums;  ///< [blocks]

  PARITY_HOST_DEVICE void block(const Team& team, Shared& shared, int64_t index) const {
    const Range range = ranges[index];
    team.each([&](int thread) {
      if (thread == 0)
        shared.sum = 0;
    });
    for (int64_t first = range.first; first < range.end; first += tile) {
      const int here = static_cast<int>(range.end - first < tile ? range.end - first : tile);
      team.each([&](int thread) {
        for (int i = thread; i < here; i += threads)
          shared.values[i] = values[first + i];
      });
      team.each([&](int thread) {
        if (thread == 0)
          for (int i = 0; i < here; ++i)
            shared.sum += shared.values[i];
      });
    }
    team.each([&](int thread) {
      if (thread == 0)
        sums[index] = shared.sum;
    });
  }
};

}  // namespace parity::measure::cuda
