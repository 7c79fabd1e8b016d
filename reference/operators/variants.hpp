// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/operators/problem/problem.hpp"
#include "reference/operators/inputs.hpp"

namespace parity::reference {

/// Returns what the function gives for the same rows in other surroundings, for relation `invariant`: outputs
/// that hold the leading rows of the usual call's. The Python runner has the same variants (variants.py).
///
/// | axis | the other calls |
/// |---|---|
/// | batch | the first row alone; all rows twice and the first again |
/// | position | the rows moved by one |
/// | neighbours | other values in all rows but the first |
/// | chunking | two calls of half the rows each |
/// | padding | seven positions of zeros after the last along the dimension `length` |
/// | threads | 1 to 4 threads in place of the usual number |
/// | layout | inputs whose elements are not in order of their dimensions |
/// | alignment | inputs in memory that begins 1 and 3 elements later |
///
/// Empty where the point has one row and the axis needs two.
/// \param call    calls the function
/// \param others  returns inputs of the same point with other values
std::vector<Outputs> variants_of(const std::string& axis, const operators::Problem& problem,
                                 const operators::Point& point, const OperatorInputs& inputs,
                                 const std::function<Outputs(const OperatorInputs&)>& call,
                                 const std::function<OperatorInputs()>& others);

}  // namespace parity::reference
