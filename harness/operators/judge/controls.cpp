// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/operators/judge/controls.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "harness/operators/judge/ulp.hpp"
#include "harness/operators/problem/values.hpp"

namespace parity::operators {
namespace {

using Numbers = std::vector<double>;

/// Returns the values repeated until there are as many as wanted; nothing if there are none.
std::optional<Numbers> repeated(const Numbers& source, size_t count) {
  if (source.empty())
    return std::nullopt;
  Numbers values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = source[i % source.size()];
  return values;
}

std::optional<Numbers> of_same_size(const std::vector<Numbers>& sources, size_t count) {
  for (const Numbers& source : sources)
    if (source.size() == count)
      return source;
  return std::nullopt;
}

std::optional<Numbers> with_rows_swapped(const Values& right) {
  const size_t row = right.row(), rows = right.size() / row;
  if (right.shape.size() < 2 || rows < 2)
    return std::nullopt;
  Numbers values = right.value;
  std::swap_ranges(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(row),
                   values.end() - static_cast<std::ptrdiff_t>(row));
  return values;
}

/// Moves the largest element to the next number of its dtype.
std::optional<Numbers> with_one_ulp(const Values& right) {
  if (!is_floating(right.dtype) || right.value.empty())
    return std::nullopt;
  Numbers values = right.value;
  const auto largest =
      std::ranges::max_element(values, [](double a, double b) { return std::fabs(a) < std::fabs(b); });
  const double step = ulp_at(right.dtype, *largest);
  if (std::isnan(step))
    return std::nullopt;
  *largest = rounded(right.dtype, *largest + step);
  return values;
}

bool same(const Numbers& a, const Numbers& b) {
  return std::ranges::equal(
      a, b, [](double x, double y) { return std::bit_cast<uint64_t>(x) == std::bit_cast<uint64_t>(y); });
}

std::optional<Numbers> made(Control control, const Values& right, const ControlSources& sources) {
  const size_t count = right.size();
  switch (control) {
    case Control::unwritten_nan:
      if (!is_floating(right.dtype))
        return Numbers(count, -1);  // no integer is NaN
      return Numbers(count, std::numeric_limits<double>::quiet_NaN());
    case Control::unwritten_other:
      return repeated(sources.other, count);
    case Control::zeros:
      return Numbers(count, 0);
    case Control::input_copy:
      return of_same_size(sources.inputs, count);
    case Control::one_ulp:
      return with_one_ulp(right);
    case Control::swapped_rows:
      return with_rows_swapped(right);
    case Control::missing_scale: {
      Numbers values = right.value;
      for (double& value : values)
        value *= std::sqrt(static_cast<double>(std::max<size_t>(right.row(), 2)));
      return values;
    }
    case Control::forward_as_grad:
      return sources.is_gradient ? of_same_size(sources.outputs, count) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

bool must_detect(const compare::Check& check, Control control) {
  if (check.relation == compare::Relation::distinct)
    return false;
  if (check.relation == compare::Relation::accurate && check.of_operator && check.of_operator->ulp_at_least)
    return control == Control::unwritten_nan;  // it claims a large error
  return control != Control::one_ulp || check.relation == compare::Relation::identical ||
         check.relation == compare::Relation::invariant;
}

std::optional<Numbers> spoiled(Control control, const Values& right, const ControlSources& sources) {
  if (right.value.empty())
    return std::nullopt;
  std::optional<Numbers> values = made(control, right, sources);
  if (values && same(*values, right.value))
    return std::nullopt;
  return values;
}

std::optional<bool> passes_control(const compare::Check& check, const TensorSides& sides, Control control,
                                   const ControlSources& sources) {
  const Values& right = *sides.b;
  const std::optional<Numbers> values = spoiled(control, right, sources);
  if (!values)
    return std::nullopt;
  Values defective{right.dtype, right.shape, *values}, defective64;
  for (double& value : defective.value)
    if (is_floating(right.dtype))
      value = rounded(right.dtype, value);
  if (same(defective.value, right.value))
    return std::nullopt;
  TensorSides replaced = sides;
  replaced.b = &defective;
  if (sides.b64 != nullptr && control != Control::one_ulp) {
    defective64 = {sides.b64->dtype, sides.b64->shape, *values};
    replaced.b64 = &defective64;
  }
  return judge_tensor(check, replaced, /*details=*/false).passed;
}

}  // namespace parity::operators
