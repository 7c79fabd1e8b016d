// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/base/json/json.hpp"
#include "harness/measure/difference/difference.hpp"

namespace parity::compare {

/// Returns what a policy relaxes: "NaN equals NaN, the sign of zero is ignored"; "" for the strict one.
std::string policy_text(const measure::DifferencePolicy& policy);

/// Returns the same as option names: ["equal-nan", "ignore-zero-sign", "flush-subnormals"].
Json policy_json(const measure::DifferencePolicy& policy);

}  // namespace parity::compare
