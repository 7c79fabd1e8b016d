// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/base/json/json.hpp"
#include "harness/suite/plan/planned_run.hpp"

namespace parity::suite {

/// Returns a planned run as JSON, for a process on another machine that executes it.
Json to_json(const PlannedRun& run);

/// Returns the run that to_json() wrote.
/// \throws UserError or Json::exception if the JSON is damaged
PlannedRun planned_run_from_json(const Json& json);

}  // namespace parity::suite
