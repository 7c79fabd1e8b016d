// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"

namespace parity::suite {

/// Returns {path: hash} of the modules and data files that the processes of a run list (sources_name),
/// without those that the run wrote. A file that the run opened for reading and writing
/// counts if nobody has written it since the run began. The hash is that of the content, the stamp
/// (file_stamp) once the files before have 256 MiB, and "" for a file that somebody else changed after the
/// run began. A stored run is stale once such a file has another hash.
///
/// A run whose processes loaded a package that reads files unseen by Python (h5py, pyarrow) is always stale,
/// unless its arm lists its data.
///
/// A trainer that does not use the recorder lists nothing. Then the Python sources beside the scripts of its
/// command count, with those in folders there. If these are too many, the run is always stale.
/// \param lists_data  whether the arm's `inputs` name more than Python files
/// \param command     words of the run, without placeholders
Json hash_read_files(const std::filesystem::path& folder, bool lists_data,
                     const std::vector<std::string>& command = {});

/// Returns whether files still have these hashes. A file that is gone has not, nor has one with the hash "".
bool has_unchanged_files(const Json& hashes);

}  // namespace parity::suite
