// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/measure/tensor/digest.hpp"
#include "harness/measure/tensor/sketch.hpp"
#include "harness/measure/tensor/statistics.hpp"
#include "harness/tensor/part.hpp"

namespace parity::measure {

/// What a trace keeps of a tensor without its elements.
struct Measurement {
  Statistics statistics;
  Digest digest;
  std::vector<double> sketch = std::vector<double>(sketch_size, 0.0);  ///< [K]
};

/// The places of a tensor's elements, or of a rank's part of them, in the logical tensor.
struct LogicalPlace {
  std::vector<PartRun> runs;
  int64_t whole_count = 0;  ///< elements of the logical tensor
};

/// Returns the places of elements under a layout. \throws UserError if a placement is invalid
LogicalPlace place_of(const Shape& shape, const TensorLayout& layout);

/// Returns statistics, digest and sketch of a tensor, or of a rank's part of one.
///
/// For a part, the statistics cover its own elements. Digest and sketch use the elements' indices in the
/// logical tensor, so those of disjoint parts add up.
/// \param layout  place of the view in the logical tensor; by default the view is all of it
Measurement measure_tensor(const TensorView& view, const TensorLayout& layout = {});

}  // namespace parity::measure
