// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/operators/exact/formulas.hpp"
#include "harness/operators/problem/problem.hpp"

namespace parity::operators {

/// A tensor of numbers of 106 bits: the nearest float64, and the nearest to the rest.
struct ExactTensor {
  std::string name;
  bool gradient = false;
  Shape shape;
  std::vector<double> high, low;
  std::vector<double> plain;  ///< of the plain implementation in the point's dtype
};

/// Returns the outputs of a formula at a point, and the gradients of the inputs that ask for them.
///
/// The inputs are those of every arm: rounded to the point's dtype, exactly. Gradients are the formula's own
/// derivative, by reverse mode in the same arithmetic. The plain implementation is the formula in float64 for
/// points of float64, else in float32, rounded to the point's dtype at the end.
/// \param arguments  parameter of the formula -> name of an input, or a value
/// \throws UserError if the formula lacks an argument, or the shapes do not fit
std::vector<ExactTensor> evaluate(const Formula& formula, const Problem& problem, const Point& point,
                                  const Json& arguments);

}  // namespace parity::operators
