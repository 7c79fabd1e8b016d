// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "harness/base/json/json.hpp"
#include "harness/suite/plan/planned_run.hpp"

namespace parity::suite {

/// Returns what a rank last wrote into its heartbeat file; null if there is none, or it is being replaced.
Json heartbeat_of(const std::filesystem::path& folder, int rank);

/// Returns the number of finished updates of a run in a folder, by the heartbeat of the slowest rank.
int64_t updates_done(const PlannedRun& run, const std::filesystem::path& folder);

/// Returns where a rank is: "at update 12" or, before the first update, its last phase: "before the first
/// update (meet)". Without a heartbeat, it says that the rank reported none.
std::string describe_place(const Json& heartbeat);

}  // namespace parity::suite
