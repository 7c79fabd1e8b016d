// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/tensor/shape.hpp"

namespace parity::measure {

/// The difference within a range of a tensor's elements.
struct RangeDifference {
  /// Half-open range: flat elements of a block, or indices of a dimension.
  int64_t first = 0, last = 0;
  int64_t differing = 0;        ///< elements with different bits, or NaN
  double error_squares = 0;     ///< sum of (a - e)^2 over the finite elements
  double expected_squares = 0;  ///< sum of e^2 over the finite elements
  uint64_t max_ulp = 0;         ///< over the elements that have a distance

  double relative_l2() const;  ///< Difference::relative_l2 of these elements
};

/// Where two tensors differ, and by how much.
struct DifferenceProfile {
  static constexpr int64_t most_ranges = 64;

  /// Number of elements by distance [steps], in bins 0, 1, 2-3, 4-7, ... (M1). Bin b > 0 begins at 2^(b-1).
  std::array<int64_t, 65> ulps = {};
  int64_t without_distance = 0;  ///< elements with a NaN

  /// The 64 blocks of the flat tensor, the same as its sketch's.
  std::vector<RangeDifference> blocks;
  /// For each dimension its indices, in at most 64 ranges.
  std::vector<std::vector<RangeDifference>> dimensions;

  /// Returns the distance [steps] that this share of the elements does not exceed, as the upper end of a bin.
  /// \param share  for example 0.5 or 0.99; the result is no_ulp if so many elements are NaN that no bin
  ///               reaches it
  uint64_t ulp_quantile(double share) const;
};

/// Collects a profile from elements in index order.
class ProfileTally {
 public:
  /// What a kernel found for the elements [first, first + count), in order.
  struct Elements {
    int64_t first = 0;
    size_t count = 0;
    const uint64_t* steps = nullptr;
    const double* error_squares = nullptr;
    const double* expected_squares = nullptr;
    const uint8_t* differs = nullptr;
    std::span<const uint16_t> nans = {};  ///< positions without a distance; their steps are 0
  };

  /// Starts an empty profile. \param first  flat index of the first element
  ProfileTally(const Shape& shape, int64_t first);
  void add(const Elements& elements);
  /// Adds the profile of the following elements. The order of calls determines the bits of the result.
  void add(const ProfileTally& next);
  DifferenceProfile take();

 private:
  /// The position of a walk over the elements, along one dimension or along the flat tensor.
  struct Axis {
    std::vector<int64_t> starts;  ///< first index of each range, then the end
    int64_t stride = 1;           ///< elements between neighbouring indices
    size_t range = 0;             ///< range that holds the next element
    int64_t left = 0;             ///< elements until the next range begins
    std::vector<RangeDifference> found;

    Axis(int64_t size, int64_t element_stride, int64_t first);
    void move(int64_t count);
  };

  std::array<int64_t, 65> ulps_ = {};
  int64_t without_distance_ = 0;
  std::vector<Axis> axes_;  ///< the flat tensor, then its dimensions
};

}  // namespace parity::measure
