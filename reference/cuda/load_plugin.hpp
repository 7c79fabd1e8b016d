// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "reference/cuda/plugin.hpp"

namespace parity::reference {

/// Where the plug-in lies: beside the program that runs, wherever it was started from.
std::filesystem::path plugin_file();

/// Opens a plug-in; it stays open. To be called before anything of ATen's, which asks once what devices there
/// are and keeps the answer.
/// \throws UserError (exit 3) if there is no such file, if it cannot be opened, or if it is of another
/// version
const DevicePlugin& load_plugin(const std::filesystem::path& file);

}  // namespace parity::reference
