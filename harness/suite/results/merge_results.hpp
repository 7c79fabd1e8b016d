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

/// Whether results of different commits, versions or kinds of machine may be merged.
enum class Mixing { refused, allowed };

/// Writes OUT/results.json: the results of several folders as one, with all cases, counts added and traces
/// relative to `out`. Where `out` is the only folder, they lie there already and nothing is done.
///
/// Shards (`parity run --shard I/N`) that are not among the folders are listed in `missing_shards`, and in
/// `environment`, so that no report looks whole that is not. Where mixed results are allowed, in what they
/// differ is listed in `mixed` (mixed_results.hpp).
/// \throws UserError as read_results, if two folders hold the same shard or case, shards of different suites,
/// or results of different origins
void merge_results(const std::vector<std::filesystem::path>& folders, const std::filesystem::path& out,
                   Mixing mixing = Mixing::refused);

}  // namespace parity
