// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/operators/judge/tensor_judgement.hpp"

namespace parity::operators {

/// Fails a judgement of two arms if an element of one lost more than rounding, though the norms agree.
/// \param truth_a, truth_b  what each arm should be: its float64 twin, or the exact result
/// \param roundoff          unit roundoff of the arms' dtype
/// \param factor            by which the check raises the limit
void judge_elements(const TensorSides& sides, const Values& truth_a, const Values& truth_b, double roundoff,
                    double factor, TensorJudgement& result);

/// Fails a judgement of two arms if all elements of one are off by one factor, though the norms agree. The
/// parameters are those of judge_elements.
void judge_factor(const TensorSides& sides, const Values& truth_a, const Values& truth_b, double roundoff,
                  double factor, TensorJudgement& result);

}  // namespace parity::operators
