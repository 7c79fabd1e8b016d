// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/base/json/json.hpp"
#include "harness/suite/plan/planned_case.hpp"

namespace parity::suite {

/// Returns the config that a command arm finds in PARITY_CONFIG, nested, with {case_dir} and {trace:ARM} in
/// place of this machine's paths. Null for an arm of parity-train and for parity's own runner of operators,
/// which copy their whole config into the trace.
Json given_config(const Case& source, const PlannedArm& planned);

}  // namespace parity::suite
