// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/operators/judge/values.hpp"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/operators/problem/exact_names.hpp"
#include "harness/operators/problem/widened.hpp"

namespace parity::operators {
namespace {

/// Returns the root of a sum of squares of `count` values, by scaling: slow, but without overflow.
template <class Value>
double scaled_norm(size_t count, const Value& value) {
  double scale = 0, sum = 0, special = 0;
  for (size_t i = 0; i < count; ++i) {
    const double size = std::fabs(value(i));
    if (!std::isfinite(size))
      special += size;  // NaN wins over infinity
    else if (size > scale) {
      sum = 1 + sum * (scale / size) * (scale / size);
      scale = size;
    } else if (size > 0)
      sum += (size / scale) * (size / scale);
  }
  return special != 0 ? special : scale * std::sqrt(sum);
}

/// Returns the root of a sum of squares. Values in the middle of the range need no scaling.
template <class Value>
double norm_of(size_t count, const Value& value) {
  double sum = 0;
  for (size_t i = 0; i < count; ++i)
    sum += value(i) * value(i);
  return sum > 0x1p-900 && sum < 0x1p1000 ? std::sqrt(sum) : scaled_norm(count, value);
}

}  // namespace

std::optional<Values> values_of(const trace::Trace& trace, const trace::TensorKey& key) {
  if (!trace.has_tensor(key))
    return std::nullopt;
  const TensorView view = trace.tensor(key);
  Values values{view.dtype, view.shape, widened(view)};
  if (const trace::TensorKey low{key.step, key.phase, key.name + low_suffix}; trace.has_tensor(low))
    values.low = widened(trace.tensor(low));
  return values;
}

std::vector<int64_t> coordinates(const Shape& shape, size_t element) {
  std::vector<int64_t> index(shape.size());
  for (size_t dim = shape.size(); dim-- > 0;) {
    const auto size = static_cast<size_t>(shape[dim]);
    index[dim] = static_cast<int64_t>(element % size);
    element /= size;
  }
  return index;
}

std::string index_text(const Shape& shape, size_t element) {
  return shape.empty() ? "" : fmt::format("[{}]", fmt::join(coordinates(shape, element), ", "));
}

double distance(const Values& a, const Values& b) {
  if (b.low.empty())
    return norm_of(a.size(), [&](size_t i) { return a.value[i] - b.value[i]; });
  return norm_of(a.size(), [&](size_t i) { return a.value[i] - b.value[i] - b.low[i]; });
}

double norm(const Values& a) {
  return norm_of(a.size(), [&](size_t i) { return a.value[i]; });
}

}  // namespace parity::operators
