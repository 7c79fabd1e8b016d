// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "harness/base/json/json.hpp"

namespace parity::suite {

/// Returns {path: content hash} of the files that the processes of a run list (sources_name); {} if they list
/// none. The hash of a file that changed after the run began is "". A stored run whose sources have changed
/// since is stale.
Json hash_sources(const std::filesystem::path& folder);

/// Returns whether files still have these hashes. A file that is gone has not, nor has one with the hash "".
bool has_sources(const Json& hashes);

}  // namespace parity::suite
