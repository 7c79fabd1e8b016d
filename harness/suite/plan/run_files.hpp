// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace parity::suite {

/// Returns the files of a run that other runs or the harness read, sorted: the traces of all ranks (*.h5) and
/// every file below `checkpoint`.
std::vector<std::filesystem::path> files_of_run(const std::filesystem::path& folder);

/// Returns the states (file_state) of these files with their names. Equal states mean unchanged files.
std::string state_of_run(const std::filesystem::path& folder);

/// Returns a digest over the names and bytes of these files.
std::string digest_of_run(const std::filesystem::path& folder);

/// Waits until a change of one of these files would change its state, for some hundredths of a second at
/// most. The system's clock may tick only every 10 ms.
void wait_for_clock_tick(const std::filesystem::path& folder);

}  // namespace parity::suite
