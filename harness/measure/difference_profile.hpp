// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/tensor/shape.hpp"

namespace parity {

/// What differs in some elements of a tensor.
struct RangeDifference {
  int64_t first = 0, last = 0;  ///< half-open: flat elements of a block, indices of a dimension
  int64_t differing = 0;        ///< elements with other bits, or NaN
  double error_squares = 0;     ///< sum of (a - e)^2 over the finite elements
  double expected_squares = 0;  ///< sum of e^2, likewise
  uint64_t max_ulp = 0;         ///< over the elements that have a distance

  double relative_l2() const;  ///< as Difference::relative_l2, of these elements
};

/// Where two tensors differ, and by how much: for people who ask why.
struct DifferenceProfile {
  static constexpr int64_t most_ranges = 64;

  /// Elements whose distance in steps lies in a bin: 0, 1, 2-3, 4-7, ... (M1). Bin b > 0 begins at 2^(b-1).
  std::array<int64_t, 65> ulps = {};
  int64_t without_distance = 0;  ///< elements with a NaN

  /// 64 stretches of the flat tensor, those of its sketch.
  std::vector<RangeDifference> blocks;
  /// Of each dimension its indices, in at most 64 ranges.
  std::vector<std::vector<RangeDifference>> dimensions;

  /// The steps that a share of the elements does not exceed, as the upper end of a bin.
  /// \param share  0.5, 0.99; no_ulp if more than the rest are NaN
  uint64_t ulp_quantile(double share) const;
};

/// Collects a profile: elements in index order, then what came next.
class ProfileTally {
 public:
  /// What a kernel found of the elements [first, first + count), one after the other.
  struct Elements {
    int64_t first = 0;
    size_t count = 0;
    const uint64_t* steps = nullptr;
    const double* error_squares = nullptr;
    const double* expected_squares = nullptr;
    const uint8_t* differs = nullptr;
    std::span<const uint16_t> nans = {};  ///< which of them have no distance; their steps are 0
  };

  /// \param first  flat index of the element that comes first
  ProfileTally(const Shape& shape, int64_t first);
  void add(const Elements& elements);
  /// Adds those that come next. The order of calls decides the bits.
  void add(const ProfileTally& next);
  DifferenceProfile take();

 private:
  /// Where a walk over the elements is along one dimension (or along the flat tensor).
  struct Axis {
    std::vector<int64_t> starts;  ///< of the ranges, and the end
    int64_t stride = 1;           ///< elements from one index to the next
    size_t range = 0;             ///< the one that holds the next element
    int64_t left = 0;             ///< elements until the next range begins
    std::vector<RangeDifference> found;

    Axis(int64_t size, int64_t element_stride, int64_t first);
    void move(int64_t count);
  };

  std::array<int64_t, 65> ulps_ = {};
  int64_t without_distance_ = 0;
  std::vector<Axis> axes_;  ///< the flat tensor, then its dimensions
};

}  // namespace parity
