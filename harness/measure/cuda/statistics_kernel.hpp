// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "harness/measure/cuda/element.hpp"
#include "harness/measure/cuda/order.hpp"
#include "harness/measure/cuda/sum_kernel.hpp"

namespace parity::measure::cuda {

/// Counts that a capture pass collects from all blocks; they start as zeros.
struct CaptureCounts {
  uint64_t digest_low, digest_high;
  uint64_t nan_count, inf_count;
  /// Bits of a double; bits order positive doubles correctly.
  uint64_t max_abs;
};

/// Computes sums of squares and counts of the elements. A thread processes one lane of one `sum_block` of
/// them, so a block of the kernel processes `sums_a_block` of these.
struct StatisticsKernel {
  static constexpr int threads = 128;
  static constexpr int lanes = static_cast<int>(sum_lanes);
  static constexpr int sums_a_block = threads / lanes;
  struct Shared {
    double squares[threads];
    double most[threads];
  };

  DType dtype;
  const void* data;
  int64_t count;
  double scale;     ///< factor for each value
  double* squares;  ///< [ceil(count / sum_block)] one sum each
  CaptureCounts* counts;

  template <class Element>
  PARITY_HOST_DEVICE void block(const Team& team, Shared& shared, int64_t index) const {
    team.each([&](int thread) {
      const Range here = elements(index, thread / lanes);
      double sum = 0, most = 0;
      for (int64_t i = here.first + thread % lanes; i < here.end; i += lanes) {
        const double value = Element::value(load_bits<typename Element::Bits>(data, i)) * scale;
        const double magnitude = magnitude_of(value);
        sum += value * value;
        most = magnitude > most ? magnitude : most;
      }
      shared.squares[thread] = sum;
      shared.most[thread] = most;
    });
    team.each([&](int thread) {
      if (thread >= sums_a_block)
        return;
      const Range here = elements(index, thread);
      if (here.first >= here.end)
        return;
      const int first_lane = thread * lanes;
      double sum = sum_of_lanes(shared.squares + first_lane), most = 0;
      for (int lane = first_lane; lane < first_lane + lanes; ++lane)
        most = shared.most[lane] > most ? shared.most[lane] : most;
      if (!is_finite(sum))
        sum = with_care<Element>(here, most);
      squares[index * sums_a_block + thread] = sum;
      shared_maximum(counts->max_abs, std::bit_cast<uint64_t>(most));
    });
  }

 private:
  PARITY_HOST_DEVICE Range elements(int64_t index, int sum) const {
    const auto length = static_cast<int64_t>(sum_block);
    const int64_t first = (index * sums_a_block + sum) * length;
    return {first, first + length < count ? first + length : count};
  }

  /// Returns the sum of squares of elements that may be NaN or infinite, one after another.
  /// \param most  set to the largest finite magnitude
  template <class Element>
  PARITY_HOST_DEVICE double with_care(const Range& here, double& most) const {
    double sum = 0;
    uint64_t nans = 0, infinities = 0;
    most = 0;
    for (int64_t i = here.first; i < here.end; ++i) {
      const double value = Element::value(load_bits<typename Element::Bits>(data, i)) * scale;
      const double magnitude = magnitude_of(value);
      nans += is_nan(value);
      infinities += is_infinite(value);
      if (is_finite(value)) {
        sum += value * value;
        most = magnitude > most ? magnitude : most;
      }
    }
    shared_add(counts->nan_count, nans);
    shared_add(counts->inf_count, infinities);
    return sum;
  }
};

}  // namespace parity::measure::cuda
