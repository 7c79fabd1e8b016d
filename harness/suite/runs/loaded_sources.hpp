// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "harness/base/json/json.hpp"

namespace parity::suite {

/// Returns {path: content hash} of the files that a run lists in sources_name; {} if it lists none. A stored
/// run whose sources have changed since is stale.
Json hash_sources(const std::filesystem::path& folder);

/// Returns whether files still have these hashes. A file that is gone has not.
bool has_sources(const Json& hashes);

}  // namespace parity::suite
