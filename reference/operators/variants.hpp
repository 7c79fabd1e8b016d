// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/operators/problem/problem.hpp"
#include "harness/trace/format/phase.hpp"
#include "reference/operators/inputs.hpp"

namespace parity::reference {

/// What a function is called with.
struct Given {
  OperatorInputs inputs;
  Outputs cotangents;      ///< gradients with respect to the outputs; empty if no gradients are asked
  operators::Point point;  ///< the sizes of the symbols are those of these inputs
};

/// An output (forward) or the gradient of an input (grad).
struct CallResult {
  trace::Phase phase;
  std::string name;
  torch::Tensor tensor;
};
using CallResults = std::vector<CallResult>;

/// Returns what the function gives for the same rows in other surroundings, for relation `invariant`: tensors
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
/// Gradients of inputs that do not have the rows, such as weights, are left out: they add over the rows.
/// Empty where the point has one row and the axis needs two.
/// \param call    calls the function
/// \param others  returns inputs of the same point with other values
std::vector<CallResults> variants_of(const std::string& axis, const operators::Problem& problem,
                                     const Given& given, const std::function<CallResults(const Given&)>& call,
                                     const std::function<OperatorInputs()>& others);

}  // namespace parity::reference
