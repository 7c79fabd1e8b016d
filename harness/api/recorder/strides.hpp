// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/tensor/shape.hpp"

namespace parity::capi {

/// The places of a tensor's elements in memory. Offsets are in elements and count from the lowest element,
/// which is the first one unless a stride is negative.
struct StridedPlaces {
  Shape shape;
  std::vector<int64_t> strides;  ///< one per dimension, may be negative or 0
  int64_t first = 0;             ///< offset of the element with all coordinates 0
  int64_t span = 0;              ///< elements from the lowest to the highest, both counted; 0 for no element
  bool row_major = false;        ///< whether the elements are stored without gaps in row-major order
  bool unique = false;           ///< whether each place holds one element
};

/// Returns the places of a tensor.
/// \param strides  one per dimension; null for row-major
/// \throws UserError if a size is negative, or the span overflows
StridedPlaces places_of(const Shape& shape, const int64_t* strides);

/// Runs of places without a gap, all of one length. Together they are the places of all elements.
struct PlaceRuns {
  int64_t length = 0;           ///< [elements]
  std::vector<int64_t> starts;  ///< offsets of the runs
};

/// Returns the places as runs that are as long as possible.
PlaceRuns runs_of(const StridedPlaces& places);

/// Copies the elements at `places` to row-major order.
/// \param width   size of an element [bytes]
/// \param lowest  the lowest element
/// \param to      room for all elements
void gather(const StridedPlaces& places, size_t width, const std::byte* lowest, std::byte* to);
/// Copies row-major elements to `places`, which must be unique.
void scatter(const StridedPlaces& places, size_t width, const std::byte* from, std::byte* lowest);

}  // namespace parity::capi
