// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "harness/suite/runs/run_settings.hpp"

namespace parity::bisect {

/// Returns the folder of a search's repeated runs. Each repeat is a results folder in it, numbered from 1.
std::filesystem::path repeats_folder(const std::filesystem::path& out);

/// Trims OUT/runs to `options.cache_bytes`, as a suite does, and the repeats to the rest of that size.
void trim_search_runs(const suite::RunSettings& options);

}  // namespace parity::bisect
