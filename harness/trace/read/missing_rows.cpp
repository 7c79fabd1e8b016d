// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/read/missing_rows.hpp"

#include <set>

#include "harness/measure/tensor/measurement.hpp"

namespace parity::trace {

void add_missing_rows(TraceContent& trace) {
  std::set<TensorKey> present;
  for (const SketchRow& row : trace.sketches)
    present.insert(row.key);
  for (const auto& [key, place] : trace.tensors)
    if (!place.in_parts && !present.contains(key))
      trace.sketches.push_back(
          sketch_row(key, place.order, place.dtype, place.shape, measure::measure_tensor(trace.view(place))));
}

}  // namespace parity::trace
