// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace parity {

/// Removes what killed processes left in `folder` (not in subfolders): temporary files (TemporaryFile) and
/// their journals. Removes a file only if its process is gone and nobody wrote to it for a minute. Safe while
/// others write in the folder, even from another container, where process ids have another meaning.
void remove_leftovers(const std::filesystem::path& folder);

}  // namespace parity
