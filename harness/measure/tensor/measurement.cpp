// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/tensor/measurement.hpp"

namespace parity::measure {

LogicalPlace place_of(const Shape& shape, const TensorLayout& layout) {
  LogicalPlace place;
  if (is_whole(layout)) {
    place.whole_count = element_count(shape);
    if (place.whole_count > 0)
      place.runs.push_back({0, 0, place.whole_count});
    return place;
  }
  place.whole_count = element_count(layout.global_shape);
  for_each_run(cover_of(layout), layout.global_shape, [&](const PartRun& run) { place.runs.push_back(run); });
  return place;
}

Measurement measure_tensor(const TensorView& view, const TensorLayout& layout) {
  Measurement found;
  found.statistics = statistics_of(view);
  const LogicalPlace place = place_of(view.shape, layout);
  const auto* data = static_cast<const std::byte*>(view.data);
  for (const PartRun& run : place.runs) {
    const TensorView piece = {
        view.dtype, {run.count}, data + static_cast<size_t>(run.local) * size_of(view.dtype)};
    found.digest += digest_of(piece, static_cast<uint64_t>(run.global));
    const std::vector<double> sums = sketch_of(piece, run.global, place.whole_count);
    for (size_t b = 0; b < sums.size(); ++b)
      found.sketch[b] += sums[b];
  }
  return found;
}

}  // namespace parity::measure
