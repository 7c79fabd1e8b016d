// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace parity::measure::cuda {

/// The order in which the CPU's passes and the kernels take float64 sums. Element i of a block adds to lane i
/// mod sum_lanes in the order of i. The lanes of a block are then added, then the blocks in their order.
inline constexpr size_t sum_block = 1024;
inline constexpr size_t sum_lanes = 4;

constexpr double sum_of_lanes(const double* v) {
  return (v[0] + v[2]) + (v[1] + v[3]);
}

/// Number of lanes for pairs of elements.
inline constexpr size_t pair_lanes = 8;

constexpr double sum_of_pair_lanes(const double* v) {
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

}  // namespace parity::measure::cuda
