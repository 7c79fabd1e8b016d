// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/compare/checks/check.hpp"
#include "harness/operators/problem/problem.hpp"

namespace parity::suite {

/// Returns a sentence about steps with points of a sweep in their place: "at step 2" becomes "at n = 7,
/// float32", and "3 of 12 steps" becomes "3 of 12 points".
std::string with_points(const std::string& sentence, const operators::Problem& problem);

/// Names points in place of steps in a result that compares traces of an operator, such as with a golden.
/// Points have no order, so what a difference over steps looks like is left out.
void name_points(compare::CheckResult& result, const operators::Problem& problem);

}  // namespace parity::suite
