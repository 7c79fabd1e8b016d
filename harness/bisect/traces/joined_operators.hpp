// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "harness/bisect/traces/first_bad_operator.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::bisect {

/// Returns the phase of the operators that compute the tensors of a phase.
trace::Phase operators_phase(trace::Phase phase);

/// Returns the operator at the first difference of two sides whose layouts differ.
///
/// First it looks at the numbers that operators receive (scalar_arguments.hpp). Then it joins the calls of an
/// operator on ranks and micro-batches to one logical call: by module, operator and order. The record of an
/// operator's tensor has no placement, so each way to join its pieces is tried: the same on all, concatenated
/// along a dimension, or added. An operator is named if its inputs agree when joined in some way, and its
/// result does in none. Without one, it names an operator of the same module before the tensor that only one
/// side runs. Operators that move values do not count, since a layout may need them.
///
/// A result of the actual side that is the expected tensor clears every operator up to it. If no operator
/// follows, the tensor was changed after it was computed (Kind::written).
/// \param first     the first differing tensor that is not an operator's
/// \param rounding  relative L2 gap up to which two tensors agree
/// \return nothing if no operator is shown to differ, or their values were not recorded
std::optional<FirstBadOperator> find_joined_operator(const trace::Trace& expected, const trace::Trace& actual,
                                                     const trace::TensorKey& first, double rounding);

}  // namespace parity::bisect
