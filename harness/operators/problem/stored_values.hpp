// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/operators/problem/problem.hpp"

namespace parity::operators {

/// Returns the values of the tensor that `spec.from` names in the trace `spec.file`, widened to float64. In
/// the name, "{SYMBOL}" stands for the symbol's value at the point. If the trace has the name at several
/// steps or phases, the first one counts.
/// \throws UserError if there is none, or if its shape is another one
std::vector<double> stored_values(const TensorSpec& spec, const Point& point);

}  // namespace parity::operators
