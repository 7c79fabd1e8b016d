// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "harness/compare/curves/series.hpp"

namespace parity {

/// A curve with a value at each of steps 1, 2, ...
inline compare::Series series(std::vector<double> values) {
  compare::Series made;
  for (size_t i = 0; i < values.size(); ++i)
    made.steps.push_back(static_cast<int64_t>(i) + 1);
  made.values = std::move(values);
  return made;
}

}  // namespace parity
