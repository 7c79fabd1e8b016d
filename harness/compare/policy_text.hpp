// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/base/json.hpp"
#include "harness/measure/difference.hpp"

namespace parity {

/// "NaN equals NaN, the sign of zero is ignored": what of a policy is not strict; "" of the strict one.
std::string policy_text(const DifferencePolicy& policy);

/// ["equal-nan", "ignore-zero-sign", "flush-subnormals"]: the same for machines, by the options' names.
Json policy_json(const DifferencePolicy& policy);

}  // namespace parity
