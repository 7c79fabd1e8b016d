// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/operators/problem/problem.hpp"

namespace parity::operators {

/// Returns the value that a dtype stores for `value`: the nearest one, ties to even.
double rounded(DType dtype, double value);

/// Returns the values of one tensor of an input at a point, rounded to its dtype; row-major.
///
/// Element i depends on the name of the input, the sizes of the point and i alone: the same values are drawn
/// for each dtype, before rounding. The runners and the exact reference call this function, so they cannot
/// disagree about an input.
///
/// | kind | value, before `scale` and `shift` |
/// |---|---|
/// | normal | n, standard normal (Box-Muller) |
/// | uniform | in [-1, 1) |
/// | lognormal | exp(n) |
/// | heavy_tailed | n / sqrt(e), e exponential: Student's t of 2 degrees of freedom |
/// | denormal | n / 4 times the smallest normal number of the dtype |
/// | cancelling | pairs along the last dimension: 1000 n, then n' minus that |
/// | one_hot | 1 at one place of each row of the last dimension, else 0 |
/// | integers | low <= value < high |
///
/// \param item       number of the tensor within its input
/// \param variation  0, or the number of another draw of the same kind
/// \throws UserError if `from` names no tensor of this shape
std::vector<double> input_values(const Point& point, const Input& input, size_t item = 0,
                                 uint64_t variation = 0);

/// Returns the gradient with respect to an output that the backward pass starts from: standard normal values,
/// rounded to the output's dtype.
std::vector<double> cotangent_values(const Point& point, const std::string& output, DType dtype,
                                     size_t count);

}  // namespace parity::operators
