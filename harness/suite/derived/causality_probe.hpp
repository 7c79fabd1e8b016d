// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/base/terminal/progress.hpp"
#include "harness/laws/audit.hpp"
#include "harness/suite/cases/case.hpp"
#include "harness/suite/runs/run_settings.hpp"

namespace parity::suite {

/// Runs the first update of an arm twice, the second time with one other token, and asks whether that token
/// reached only results that may see it. Uses plan, cache and runner. An arm with experts runs in float64, if
/// it has a twin.
/// \throws UserError for an arm that is a command or whose data are no token rows; if a run does not finish
laws::Audit probe_causality(const Case& source, const std::string& arm, const RunSettings& settings,
                            Progress& progress);

}  // namespace parity::suite
