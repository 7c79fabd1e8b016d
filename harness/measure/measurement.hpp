// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/measure/digest.hpp"
#include "harness/measure/sketch.hpp"
#include "harness/measure/statistics.hpp"
#include "harness/tensor/part.hpp"

namespace parity {

/// What a trace keeps of a tensor whose elements it does not keep.
struct Measurement {
  Statistics statistics;
  Digest digest;
  std::vector<double> sketch = std::vector<double>(sketch_size, 0.0);  ///< [K]
};

/// Where the elements of a tensor, or of what a rank holds of one, lie in the logical tensor.
struct LogicalPlace {
  std::vector<PartRun> runs;
  int64_t whole_count = 0;  ///< elements of the logical tensor
};

/// \throws UserError if a placement is impossible
LogicalPlace place_of(const Shape& shape, const TensorLayout& layout);

/// Statistics, digest and sketch of a tensor, or of what a rank holds of one.
///
/// Of a part, the statistics are over its own elements; digest and sketch are by the elements' indices in the
/// logical tensor, so that those of disjoint parts add up.
/// \param layout  how the view lies in the logical tensor; the default is all of it
Measurement measure_tensor(const TensorView& view, const TensorLayout& layout = {});

}  // namespace parity
