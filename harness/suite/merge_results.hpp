// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "harness/base/json.hpp"

namespace parity {

/// results.json of one folder. \throws UserError if it is missing (exit 3), no JSON or of another schema
Json read_results(const std::filesystem::path& folder);

/// The results of several folders as one: all cases, counts added, traces relative to `out`.
///
/// Shards (`parity run --shard I/N`) that are not among the folders are listed in `missing_shards`, and in
/// `environment`, so that no report looks whole that is not.
/// \throws UserError as read_results, if two folders hold the same shard or case, or shards of different
/// suites
Json merge_results(const std::vector<std::filesystem::path>& folders, const std::filesystem::path& out);

}  // namespace parity
