// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/input_paths.hpp"

#include <system_error>

namespace parity::suite {
namespace {
namespace fs = std::filesystem;

void add(std::vector<InputPath>& paths, const std::string& name, const Json& value) {
  if (!value.is_string() || value.get<std::string>().empty())
    return;
  const fs::path path = value.get<std::string>();
  paths.push_back({name, path});
  fs::path tokens = path;
  std::error_code error;
  if (path.extension() == ".idx" && fs::exists(tokens.replace_extension(".bin"), error))
    paths.push_back({name + "[bin]", tokens});
}

}  // namespace

std::vector<InputPath> input_paths(const std::string& key, const Json& value) {
  std::vector<InputPath> paths;
  if (key.ends_with(".path"))
    add(paths, key, value);
  if (key.ends_with(".paths") && value.is_array())
    for (size_t i = 0; i < value.size(); ++i)
      add(paths, key + "[" + std::to_string(i) + "]", value[i]);
  return paths;
}

std::string key_of_input(const std::string& name) {
  return name.substr(0, name.find('['));
}

}  // namespace parity::suite
