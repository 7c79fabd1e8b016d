// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "harness/measure/cuda/team.hpp"

namespace parity::measure::cuda {

/// The order in which the CPU's passes and the kernels take float64 sums. Element i of a block adds to lane i
/// mod sum_lanes in the order of i. The lanes of a block are then added, then the blocks in their order.
inline constexpr size_t sum_block = 1024;
inline constexpr size_t sum_lanes = 4;

constexpr double sum_of_lanes(const double* v) {
  return (v[0] + v[2]) + (v[1] + v[3]);
}

/// Returns `sum` plus values[first], values[first + step], ..., added one after another. Reads sixteen
/// numbers before it adds them, so that an addition never waits for memory.
PARITY_HOST_DEVICE inline double add_in_order(double sum, const double* values, int first, int end,
                                              int step) {
  constexpr int ahead = 16;
  int i = first;
  for (; i + (ahead - 1) * step < end; i += ahead * step) {
    double next[ahead];
    for (int k = 0; k < ahead; ++k)
      next[k] = values[i + k * step];
    for (int k = 0; k < ahead; ++k)
      sum += next[k];
  }
  for (; i < end; i += step)
    sum += values[i];
  return sum;
}

/// Number of lanes for pairs of elements.
inline constexpr size_t pair_lanes = 8;

constexpr double sum_of_pair_lanes(const double* v) {
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

}  // namespace parity::measure::cuda
