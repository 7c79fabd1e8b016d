// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "harness/trace/read/trace.hpp"

namespace parity::bisect {

/// A number that an operator of one place receives on both sides, with other values.
struct ScalarDifference {
  trace::Phase phase = trace::Phase::forward;
  std::string module, op;
  std::string argument;               ///< "lr"
  std::set<double> expected, actual;  ///< the values of all calls, micro-batches and ranks

  /// Returns "0.0048 against 0.008", of the smallest values that the other side lacks.
  std::string numbers() const;
};

/// Compares the numbers that operators receive in one step, whatever the layouts of the sides.
///
/// Operators are matched by phase, module, operator and argument. How often they run, and on which shapes,
/// depends on the layout, so each argument's set of values is compared. Floating-point numbers and the
/// arguments dim, dims and step are compared. Sizes and offsets are not: they follow from the layout.
/// \return the differences in order of phases. Operators that only one side runs are left out.
std::vector<ScalarDifference> compare_scalars(const trace::Trace& expected, const trace::Trace& actual,
                                              int64_t step);

/// Returns whether a number of this module and phase may not depend on the layout: those of the optimizer and
/// of the model do not. Those of the loss, the reduction and clipping may, as the divisor of a mean does.
bool is_free_of_layout(const ScalarDifference& difference);

}  // namespace parity::bisect
