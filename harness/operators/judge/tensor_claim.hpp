// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/compare/checks/check.hpp"
#include "harness/operators/judge/tensor_judgement.hpp"

namespace parity::operators {

/// Judges a check's claim about one tensor at one point.
///
/// - identical, invariant: the same bits. A NaN agrees with nothing.
/// - equivalent, distinct: by the collapse of the gap in float64 and the size of rounding, as in a training
///   case (compare/twins), with the rounding model of the tensor's dtype; or, without twins, by the distance
///   of both arms from the exact result.
/// - accurate: the error in norm is at most `times` that of the plain implementation or of the correctly
/// rounded
///   result, whichever is larger; or the largest error in ULP is at most `ulp`, if given.
/// Sides of another shape, dtype kind, or with values that are not finite where the other side's are, differ.
/// \param details  whether to measure errors by element, for a report
TensorJudgement judge_tensor(const compare::Check& check, const TensorSides& sides, bool details = true);

}  // namespace parity::operators
