// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/measure/cuda/segment_kernel.hpp"
#include "harness/measure/tensor/measurement.hpp"

namespace parity::measure::cuda {

/// A tensor's elements, cut into segments that each lie in one run and in one block of the sketch.
struct Segments {
  std::vector<Segment> all;     ///< by block, in the order of the runs within each
  std::vector<Range> of_block;  ///< [K] range in `all` of each block
};

/// Returns the segments of a tensor, or of a part, in the logical tensor.
Segments segments_of(const LogicalPlace& place);

}  // namespace parity::measure::cuda
