// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "harness/base/exit_code.hpp"

namespace parity::suite {

/// Executes one rank of a run on the machine where its launcher started this process (`parity rank`): finds
/// the rank in the variables of the launcher, starts the rank's process with its own variables and output
/// files, waits for it and writes down how it ended.
///
/// A process that cannot be a rank of the run is refused: a number of ranks other than the run's, a rank
/// that there is already, a machine with another CPU or GPU than the run's identity.
/// \param folder  of the launch (rank_files.hpp)
/// \param parity  where to reach parity (far/place.hpp), if this machine does not see the folder; else ""
/// \return agree if the rank ended well, else crashed, on which every launcher ends the other ranks
/// \throws UserError if it is refused, cannot start the process, or loses parity, on which it ends the rank
ExitCode execute_rank(const std::filesystem::path& folder, const std::string& parity);

}  // namespace parity::suite
