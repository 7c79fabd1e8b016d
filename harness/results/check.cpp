// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/results/check.hpp"

#include <algorithm>

#include "harness/base/json/number.hpp"

namespace parity::results {
namespace {

/// Returns the first of these metrics that was measured.
std::optional<double> first_of(const Json& measured, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (measured.is_object() && measured.contains(name) && !measured.at(name).is_null())
      return number_of(measured.at(name));
  return std::nullopt;
}

}  // namespace

Distance distance_of(const Json& measured) {
  return {first_of(measured, {"max_ulp", "ulp"}),
          first_of(measured, {"relative_l2", "relative_gap", "relative_linf"}),
          first_of(measured, {"floors", "of_bound"})};
}

size_t TensorPicture::differing() const {
  size_t number = 0;
  for (const std::vector<double>& row : cells)
    number += static_cast<size_t>(std::ranges::count_if(row, [](double cell) { return cell != 0; }));
  return number;
}

}  // namespace parity::results
