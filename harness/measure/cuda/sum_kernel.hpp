// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/measure/cuda/order.hpp"

namespace parity::measure::cuda {

/// A half-open range in an array of numbers.
struct Range {
  int64_t first;
  int64_t end;
};

/// Sums ranges of an array, number by number; each kernel block processes one range, tile by tile. While the
/// first thread adds a tile, the other warps copy the next one into the block's shared memory.
struct SumKernel {
  static constexpr int threads = 256;
  static constexpr int tile = 2048;
  static constexpr int warp = 32;
  struct Shared {
    double values[2][tile];
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
    const int64_t count = range.end - range.first;
    for (int64_t number = 0; number * tile < count + tile; ++number)
      team.each([&](int thread) {
        if (thread >= warp) {
          const int here = length_of_tile(count, number);
          for (int i = thread - warp; i < here; i += threads - warp)
            shared.values[number % 2][i] = values[range.first + number * tile + i];
        } else if (thread == 0 && number > 0) {
          shared.sum = add_in_order(shared.sum, shared.values[(number - 1) % 2], 0,
                                    length_of_tile(count, number - 1), 1);
        }
      });
    team.each([&](int thread) {
      if (thread == 0)
        sums[index] = shared.sum;
    });
  }

 private:
  /// Returns the number of elements of a tile; not above 0 after the last one.
  PARITY_HOST_DEVICE static int length_of_tile(int64_t count, int64_t number) {
    const int64_t left = count - number * tile;
    return static_cast<int>(left < tile ? left : tile);
  }
};

}  // namespace parity::measure::cuda
