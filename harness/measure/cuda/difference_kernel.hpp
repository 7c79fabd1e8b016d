// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/measure/cuda/gap.hpp"
#include "harness/measure/cuda/order.hpp"
#include "harness/measure/cuda/sum_kernel.hpp"

namespace parity::measure::cuda {

/// Computes the sums and counts of a pair. A thread processes one lane of one `sum_block` of elements, so a
/// block of the kernel processes `sums_a_block` of these.
struct DifferenceKernel {
  static constexpr int threads = 128;
  static constexpr int lanes = static_cast<int>(pair_lanes);
  static constexpr int sums_a_block = threads / lanes;
  struct Shared {
    Gap gaps[threads];
  };

  DType dtype;
  const void* expected;
  const void* actual;
  int64_t count;
  double* sums;        ///< [Gap::sum_count, sum blocks]
  double* max_errors;  ///< [sum blocks]
  int64_t sum_blocks;  ///< ceil(count / sum_block)
  DifferenceCounts* counts;

  template <class Element>
  PARITY_HOST_DEVICE void block(const Team& team, Shared& shared, int64_t index) const {
    team.each([&](int thread) {
      shared.gaps[thread] =
          gap_of<Element>(elements(index * sums_a_block + thread / lanes), thread % lanes, lanes);
    });
    team.each([&](int thread) {
      const int64_t sum = index * sums_a_block + thread;
      const int first_lane = thread * lanes;
      if (thread < sums_a_block && sum < sum_blocks)
        finish<Element>(shared.gaps + first_lane, sum);
    });
  }

  /// Returns the elements of a `sum_block`.
  PARITY_HOST_DEVICE Range elements(int64_t sum) const {
    const auto length = static_cast<int64_t>(sum_block);
    return {sum * length, (sum + 1) * length < count ? (sum + 1) * length : count};
  }

 private:
  template <class Element>
  PARITY_HOST_DEVICE Gap gap_of(const Range& here, int64_t begin, int64_t stride) const {
    using Bits = typename Element::Bits;
    Gap gap = Gap::none();
    for (int64_t i = here.first + begin; i < here.end; i += stride)
      gap.add<Element>(load_bits<Bits>(expected, i), load_bits<Bits>(actual, i), static_cast<uint64_t>(i));
    return gap;
  }

  /// \param lane_gaps  one for each lane
  template <class Element>
  PARITY_HOST_DEVICE void finish(const Gap* lane_gaps, int64_t sum) const {
    Gap whole = lane_gaps[0];
    for (int lane = 1; lane < lanes; ++lane)
      whole.join(lane_gaps[lane]);
    for (int k = 0; k < Gap::sum_count; ++k) {
      double of_lanes[lanes];
      for (int lane = 0; lane < lanes; ++lane)
        of_lanes[lane] = lane_gaps[lane].sums[k];
      whole.sums[k] = sum_of_pair_lanes(of_lanes);
    }
    if (whole.large_integers)  // element by element, as on the CPU
      whole = gap_of<Element>(elements(sum), 0, 1);
    for (int k = 0; k < Gap::sum_count; ++k)
      sums[k * sum_blocks + sum] = whole.sums[k];
    max_errors[sum] = whole.max_error;
    add_counts(whole);
  }

  PARITY_HOST_DEVICE void add_counts(const Gap& gap) const {
    shared_add(counts->differing, gap.differing);
    shared_add(counts->expected_nan, gap.expected_nan);
    shared_add(counts->actual_nan, gap.actual_nan);
    shared_add(counts->expected_inf, gap.expected_inf);
    shared_add(counts->actual_inf, gap.actual_inf);
    for (int half = 0; half < 2; ++half) {
      shared_add(counts->up[half], gap.up[half]);
      shared_add(counts->down[half], gap.down[half]);
    }
    shared_maximum(counts->max_ulp, gap.max_ulp);
    shared_maximum(counts->max_error, std::bit_cast<uint64_t>(gap.max_error));
    shared_maximum(counts->max_expected, std::bit_cast<uint64_t>(gap.max_expected));
    shared_maximum(counts->needed_rtol, std::bit_cast<uint64_t>(gap.needed_rtol));
    shared_minimum(counts->first_nan, gap.first_nan);
    shared_minimum(counts->first_other, gap.first_other);
  }
};

/// Finds the largest difference; runs after DifferenceKernel. A thread searches a `sum_block` that contains
/// it.
struct WorstKernel {
  static constexpr int threads = 128;
  struct Shared {};

  DType dtype;
  DifferenceKernel pair;

  template <class Element>
  PARITY_HOST_DEVICE void block(const Team& team, Shared& /*shared*/, int64_t index) const {
    using Bits = typename Element::Bits;
    team.each([&](int thread) {
      const int64_t sum = index * threads + thread;
      const double most = std::bit_cast<double>(pair.counts->max_error);
      if (sum >= pair.sum_blocks || most == 0 || pair.max_errors[sum] != most)
        return;
      const Range here = pair.elements(sum);
      int64_t i = here.first;
      while (i < here.end &&
             distance_of<Element>(load_bits<Bits>(pair.expected, i), load_bits<Bits>(pair.actual, i)) != most)
        ++i;
      shared_minimum(pair.counts->first_worst, static_cast<uint64_t>(i));
    });
  }
};

}  // namespace parity::measure::cuda
