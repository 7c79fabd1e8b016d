// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"

namespace parity::suite {

/// A file or folder that a key of a config names.
struct InputPath {
  std::string name;  ///< the key, with the place in a list: "data.paths[1]"
  std::filesystem::path path;
};

/// Returns what a key of a config names: KEY.path has one path, KEY.paths a list of them. Beside an .idx file
/// of Megatron it also returns the .bin file with its tokens. Empty for other keys and for empty paths.
std::vector<InputPath> input_paths(const std::string& key, const Json& value);

/// Returns the key of an input's name: "data.paths" for "data.paths[1]".
std::string key_of_input(const std::string& name);

}  // namespace parity::suite
