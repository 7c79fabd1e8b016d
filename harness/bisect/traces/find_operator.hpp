// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "harness/bisect/traces/first_bad_operator.hpp"
#include "harness/trace/format/capture.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::bisect {

/// Returns the capture rule for the operators between the last tensor that agrees and the first that differs:
/// those of both modules, of the enclosing modules, and of the trainer outside the model in that phase.
/// \return nothing if no operator of a step computes the tensor: initial weights, data
std::optional<trace::CaptureRule> operators_to_watch(const trace::TensorKey& first,
                                                     const std::optional<trace::TensorKey>& last_equal);

/// Returns the operator at the first difference. The calls of the sides are paired (operator_calls.hpp). An
/// operator that only one side runs is named if a tensor that differs holds its result, bit for bit. In a
/// module that does not compute the tensor it does not count: tensors computed after it agree.
/// \param first  the first differing tensor that is not an operator's
/// \param rank   the rank on which it differs. Ranks compute in parallel, so only its operators are examined.
/// \return nothing if the rank recorded no operator before the tensor, the operators of the sides have
/// different
///         shapes, or none of those that both run differs while others have no partner
std::optional<FirstBadOperator> find_first_bad_operator(const trace::Trace& expected,
                                                        const trace::Trace& actual,
                                                        const trace::TensorKey& first, int64_t rank);

}  // namespace parity::bisect
