// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "harness/base/json_items.hpp"

namespace parity {

/// results.json of one folder; its items are the cases.
/// \throws UserError if it is missing (exit 3), no JSON or of another schema
JsonItems read_results(const std::filesystem::path& folder);

/// The case at that place, with the members that this folder of ours takes from it.
/// \param folder  for the message. \throws UserError if it is in another form
Json read_case_results(const JsonItems& results, size_t place, const std::filesystem::path& folder);

/// Writes OUT/results.json: the results of several folders as one, with all cases, counts added and traces
/// relative to `out`. Where `out` is the only folder, they lie there already and nothing is done.
///
/// Shards (`parity run --shard I/N`) that are not among the folders are listed in `missing_shards`, and in
/// `environment`, so that no report looks whole that is not.
/// \throws UserError as read_results, if two folders hold the same shard or case, or shards of different
/// suites
void merge_results(const std::vector<std::filesystem::path>& folders, const std::filesystem::path& out);

}  // namespace parity
