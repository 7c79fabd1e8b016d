// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "harness/suite/plan/planned_run.hpp"
#include "harness/suite/runs/store.hpp"

namespace parity {

/// Why a run that ended well gives no answer: it left no trace, a partial one, one that cannot be read, one
/// of other updates or of another number of ranks than the run was started with, or one that does not say of
/// each of the run's faults that it was applied. Nothing if its trace is one.
///
/// A trainer that does not read its capture's faults would pass for one that withstands them.
std::optional<RunFailure> trace_failure(const PlannedRun& run, const std::filesystem::path& trace);

}  // namespace parity
