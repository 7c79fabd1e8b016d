// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/measure/cuda/segment_kernel.hpp"
#include "harness/measure/measurement.hpp"

namespace parity::cuda {

/// A tensor's elements cut so that each piece lies in one run and in one block of the sketch.
struct Segments {
  std::vector<Segment> all;     ///< block by block, in the order of the runs within each
  std::vector<Range> of_block;  ///< [K], which of `all` are a block's
};

Segments segments_of(const LogicalPlace& place);

}  // namespace parity::cuda
