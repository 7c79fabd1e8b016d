// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/base/json.hpp"
#include "harness/golden/content.hpp"
#include "harness/suite/cases/case.hpp"
#include "harness/suite/judge/evidence.hpp"

namespace parity {

using StepValues = std::map<int64_t, double>;

/// A numeric channel by step. \return empty where there is no trace or no such numeric channel
StepValues step_values(const Trace* trace, const std::string& name);

/// json_number for every number inside a value.
Json finite_json(const Json& value);

/// `curves` of results.json: each numeric channel of the arms over the steps of the run, the gap to the
/// reference arm, the rounding noise |float32 - own float64 twin| (the largest over the arms whose twins are
/// known; null without) and the golden's values. An arm whose twin did not run has the golden's, if its
/// values are the golden's.
///
/// \param golden  what the case's golden holds; empty without one
Json curves_of(const Case& source, const Evidence& evidence, const GoldenContent& golden);

}  // namespace parity
