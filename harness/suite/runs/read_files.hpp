// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "harness/base/json/json.hpp"

namespace parity::suite {

/// Returns {path: hash} of the modules and data files that the processes of a run list (sources_name),
/// without those that the run wrote; {} if they list none. The hash is that of the content, the stamp
/// (file_stamp) once the files before have 256 MiB, and "" for a file that somebody else changed after the
/// run began. A stored run is stale once such a file has another hash.
Json hash_read_files(const std::filesystem::path& folder);

/// Returns whether files still have these hashes. A file that is gone has not, nor has one with the hash "".
bool has_unchanged_files(const Json& hashes);

}  // namespace parity::suite
