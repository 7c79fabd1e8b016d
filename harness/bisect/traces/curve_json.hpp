// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/base/json/json.hpp"
#include "harness/bisect/traces/first_step.hpp"

namespace parity::bisect {

/// Returns the loss and gradient norm of both sides, as far as both have them, to draw how a difference
/// grows: {"steps", "loss": {"expected", "actual"}, "grad_norm"}.
///
/// There is one value for each step of either side: null if a side did not make the step; "nan", "inf" or
/// "-inf" for a number that is not finite.
Json curve_json(const ChannelSide& expected, const ChannelSide& actual);

}  // namespace parity::bisect
