// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/measure/cuda/statistics_kernel.hpp"
#include "harness/measure/lanes/mix.hpp"

namespace parity::measure::cuda {

/// A run of elements that are contiguous here and in the logical tensor, and that lie in one block of its
/// sketch.
struct Segment {
  int64_t local;   ///< index of the first element in the measured memory
  int64_t global;  ///< ... and in the logical tensor
  int64_t count;
};

/// Computes digest and signed sums; each kernel block processes one segment, tile by tile. While one thread
/// per lane adds a tile, the threads of the other warps widen, sign and mix the next one.
struct SegmentKernel {
  static constexpr int threads = 256;
  static constexpr int tile = 2048;  ///< a multiple of the number of lanes
  static constexpr int lanes = static_cast<int>(sum_lanes);
  static constexpr int warp = 32;  ///< the first one adds
  struct Shared {
    double values[2][tile];
    uint64_t low[threads], high[threads];
    double lane_sums[lanes];
    double sum;
  };

  DType dtype;
  const void* data;
  const Segment* segments;
  double* sums;  ///< [blocks]
  CaptureCounts* counts;

  template <class Element>
  PARITY_HOST_DEVICE void block(const Team& team, Shared& shared, int64_t index) const {
    const Segment segment = segments[index];
    team.each([&](int thread) { shared.low[thread] = shared.high[thread] = 0; });
    add_up<Element>(team, shared, segment, /*skip=*/false);
    team.each([&](int thread) {
      if (thread == 0)
        add_digest(shared);
    });
    if (!is_finite(shared.sum))
      add_up<Element>(team, shared, segment, /*skip=*/true);
    team.each([&](int thread) {
      if (thread == 0)
        sums[index] = shared.sum;
    });
  }

 private:
  /// \param skip  NaN and infinities count as 0, and nothing is added to the digest
  template <class Element>
  PARITY_HOST_DEVICE void add_up(const Team& team, Shared& shared, const Segment& segment, bool skip) const {
    team.each([&](int thread) {
      if (thread < lanes)
        shared.lane_sums[thread] = 0;
    });
    for (int64_t first = 0; first < segment.count + tile; first += tile) {
      const int64_t number = first / tile;
      team.each([&](int thread) {
        if (thread >= warp) {
          const int here = length_of_tile(segment, first);
          for (int i = thread - warp; i < here; i += threads - warp)
            take<Element>(shared, thread, shared.values[number % 2][i], segment.local + first + i,
                          segment.global + first + i, skip);
        } else if (thread < lanes && number > 0) {
          // Lanes go by the position in the segment, not by the index; a rotation of the lanes gives the same
          // sum.
          shared.lane_sums[thread] = add_in_order(shared.lane_sums[thread], shared.values[(number - 1) % 2],
                                                  thread, length_of_tile(segment, first - tile), lanes);
        }
      });
    }
    team.each([&](int thread) {
      if (thread == 0)
        shared.sum = sum_of_lanes(shared.lane_sums);
    });
  }

  /// Returns the number of elements of the tile that begins at `first`; not above 0 after the last one.
  PARITY_HOST_DEVICE static int length_of_tile(const Segment& segment, int64_t first) {
    return static_cast<int>(segment.count - first < tile ? segment.count - first : tile);
  }

  template <class Element>
  PARITY_HOST_DEVICE void take(Shared& shared, int thread, double& place_of_value, int64_t local,
                               int64_t global, bool skip) const {
    using Bits = typename Element::Bits;
    const Bits bits = load_bits<Bits>(data, local);
    const double value = Element::value(bits);
    const auto place = static_cast<uint64_t>(global);
    constexpr auto group = static_cast<uint64_t>(sign_group);
    const uint64_t minus = (sketch_signs(place / group) >> (place % group)) & 1;
    place_of_value =
        skip && !is_finite(value) ? 0 : std::bit_cast<double>(std::bit_cast<uint64_t>(value) ^ (minus << 63));
    if (skip)
      return;
    const auto unsigned_bits = static_cast<std::make_unsigned_t<Bits>>(bits);
    const Mixed mixed = mix_element(unsigned_bits, (place + 1) * index_factor);
    shared.low[thread] += mixed.low;
    shared.high[thread] += mixed.high;
  }

  PARITY_HOST_DEVICE void add_digest(const Shared& shared) const {
    uint64_t low = 0, high = 0;
    for (int thread = 0; thread < threads; ++thread) {
      low += shared.low[thread];
      high += shared.high[thread];
    }
    shared_add(counts->digest_low, low);
    shared_add(counts->digest_high, high);
  }
};

}  // namespace parity::measure::cuda
