// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json/json.hpp"

namespace parity::suite {

/// A file or folder that a key of a config names.
struct InputPath {
  std::string name;  ///< the key, with the place in a list: "data.paths[1]"
  std::filesystem::path path;
};

/// Returns whether a key's value is one path: KEY.path, or the trace whose routes are replayed.
bool names_file(std::string_view key);

/// Returns whether a key's value is a list of paths: KEY.paths.
bool names_files(std::string_view key);

/// Replaces {case_dir} in a path, or in each of a list, by the case's folder.
void expand_case_dir(Json& value, const std::string& folder);

/// Returns what a key of a config names, but not {trace:ARM}, which names a file only later. Beside an .idx
/// file of Megatron it also returns the .bin file with its tokens, and beside an index of shards the weight
/// files. Empty for other keys and for empty paths.
std::vector<InputPath> input_paths(const std::string& key, const Json& value);

/// Returns the key of an input's name: "data.paths" for "data.paths[1]".
std::string key_of_input(const std::string& name);

}  // namespace parity::suite
