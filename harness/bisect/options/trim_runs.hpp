// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "harness/suite/runs/run_settings.hpp"

namespace parity {

/// Where the runs of a search lie that are repeats of others, as suites of their own, numbered from 1.
std::filesystem::path repeats_folder(const std::filesystem::path& out);

/// Brings OUT/runs below `options.cache_bytes`, as a suite does, and the repeats below what that leaves of
/// it.
void trim_search_runs(const RunSettings& options);

}  // namespace parity
