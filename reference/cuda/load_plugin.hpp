// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "reference/cuda/plugin.hpp"

namespace parity::reference {

/// Returns the path of the plug-in: in the folder of the running program, whatever the working directory.
std::filesystem::path plugin_file();

/// Opens a plug-in, which stays open. Call it before any function of ATen: ATen looks for devices once and
/// keeps the result.
/// \throws UserError (exit 3) if the file is missing, cannot be opened, or has another version
const DevicePlugin& load_plugin(const std::filesystem::path& file);

}  // namespace parity::reference
