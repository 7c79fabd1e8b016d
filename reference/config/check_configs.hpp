// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "harness/base/json/json.hpp"

namespace parity::reference {

/// Returns what validation says about each config of a list, without training. An answer has `problem`, the
/// sentence with which a run would refuse the config, or "". For a valid config it also has `ranks`, and
/// `model`: the dimensions that model, architecture.* and moe.* give together, by the names of the keys.
/// \param configs  objects, nested or with dotted keys; missing keys have their defaults
/// \throws UserError if it is no list of objects
Json check_configs(const Json& configs);

/// Returns the same for the list in a file. \throws UserError if the file cannot be read
Json check_file(const std::filesystem::path& file);

}  // namespace parity::reference
