// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "harness/base/json/items.hpp"
#include "harness/results/case.hpp"

namespace parity::suite {

/// Opens the results.json of a folder; its items are the cases.
/// \throws UserError if it is missing (exit 3), not JSON or of another schema
JsonItems read_results(const std::filesystem::path& folder);

/// Returns the case at that index.
/// \param folder  for messages
/// \throws UserError if the case is damaged (read_case)
results::Case read_case_results(const JsonItems& cases, size_t place, const std::filesystem::path& folder);

/// Whether results of different commits, versions or kinds of machine may be merged.
enum class Mixing { refused, allowed };

/// Merges the results of several folders into OUT/results.json: all cases, sums of counts, and trace paths
/// relative to `out`. Does nothing if `out` is the only folder.
///
/// Lists shards (`parity run --shard I/N`) that are not among the folders in `missing_shards` and in
/// `environment`, so that an incomplete report does not look complete. If mixed results are allowed, `mixed`
/// lists their differences (mixed.hpp).
/// \throws UserError as read_results, if two folders hold the same shard or case, shards of different suites,
/// or results of different origins
void merge_results(const std::vector<std::filesystem::path>& folders, const std::filesystem::path& out,
                   Mixing mixing = Mixing::refused);

}  // namespace parity::suite
