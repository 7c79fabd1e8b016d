// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/support/scratch.hpp"

namespace parity {

/// A PyTorch program of tests/support.
struct PyTorchProgram {
  std::vector<std::string> argv;  ///< the script first
  std::map<std::string, std::string> environment;
};

/// Runs programs concurrently in a server that imported PyTorch once for this process (pytorch_server.py),
/// with the environment of the portable profile.
/// \param scratch  an existing folder for what they print
/// \return status 0 if all ended with 0, and what they printed
/// \throws std::runtime_error if the server is gone
CommandResult run_pytorch(const std::vector<PyTorchProgram>& programs, const std::filesystem::path& scratch);

}  // namespace parity
