// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace parity {

/// Removes what killed processes left in `folder` (not below it): temporary files (TemporaryFile) and their
/// journals, if the process that made them is gone and nobody wrote to them for a minute. Others may write in
/// the folder meanwhile, also from another container, where process ids mean other processes.
void remove_leftovers(const std::filesystem::path& folder);

}  // namespace parity
