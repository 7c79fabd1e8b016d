// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "harness/suite/plan/planned_run.hpp"
#include "harness/suite/runs/store.hpp"

namespace parity::suite {

/// Returns why the trace of a run that ended well is not usable; nothing if it is usable.
///
/// The trace may be missing, partial or unreadable, or have other updates or another number of ranks than the
/// run was started with. It may also not confirm that each of the run's faults was applied: a trainer that
/// ignores the faults in its capture would otherwise look like one that tolerates them.
std::optional<RunFailure> trace_failure(const PlannedRun& run, const std::filesystem::path& trace);

}  // namespace parity::suite
