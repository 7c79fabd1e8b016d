// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/base/json.hpp"
#include "harness/bisect/traces/first_step.hpp"

namespace parity {

/// Loss and gradient norm of both sides, as far as both have them, for drawing how a difference grows:
/// {"steps", "loss": {"expected", "actual"}, "grad_norm"}. A value a step of either side: null where a side
/// has not made it, "nan", "inf" or "-inf" where it is no finite number.
Json curve_json(const ChannelSide& expected, const ChannelSide& actual);

}  // namespace parity
