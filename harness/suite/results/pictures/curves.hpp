// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/golden/content.hpp"
#include "harness/results/curve.hpp"
#include "harness/suite/cases/case.hpp"
#include "harness/suite/judge/evidence.hpp"

namespace parity::suite {

using StepValues = std::map<int64_t, double>;

/// Returns the values of a numeric channel by step; empty if there is no trace or no such numeric channel.
StepValues step_values(const trace::Trace* trace, const std::string& name);

/// Returns the curves of a case.
///
/// They are each numeric channel of the arms over the steps of the run, the gap to the reference arm, the
/// rounding noise and the golden's values. The noise is |float32 - own float64 twin|, the largest over the
/// arms with known twins; null if no twin is known. An arm whose values are the golden's uses the golden's
/// twin if its own did not run.
///
/// \param golden  content of the case's golden; empty without one
std::vector<results::Curve> curves_of(const Case& source, const Evidence& evidence,
                                      const golden::GoldenContent& golden);

}  // namespace parity::suite
