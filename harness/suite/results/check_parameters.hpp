// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/base/json/json.hpp"
#include "harness/compare/checks/check.hpp"

namespace parity::suite {

/// Returns the parameters of a claim's relation that the case gives, as the member `parameters` of a check's
/// results.
Json parameters_of(const compare::Check& claim);

}  // namespace parity::suite
