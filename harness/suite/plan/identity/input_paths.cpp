// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/identity/input_paths.hpp"

#include <set>
#include <system_error>

#include "harness/suite/plan/traces_read.hpp"

namespace parity::suite {
namespace {
namespace fs = std::filesystem;

/// Adds the weight files beside an index, which names some or all of them.
void add_shards(std::vector<InputPath>& paths, const std::string& name, const fs::path& folder) {
  std::error_code error;
  std::set<fs::path> shards;
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, error), end; !error && entry != end;
       entry.increment(error))
    if (const fs::path extension = entry->path().extension();
        extension == ".safetensors" || extension == ".bin" || extension == ".pt")
      shards.insert(entry->path());
  for (const fs::path& shard : shards)
    paths.push_back({name + "[" + shard.filename().string() + "]", shard});
}

void add(std::vector<InputPath>& paths, const std::string& name, const Json& value) {
  const std::string text = value.is_string() ? value.get<std::string>() : "";
  if (text.empty() || text.find("{trace:") != std::string::npos)
    return;
  const fs::path path = text;
  paths.push_back({name, path});
  fs::path tokens = path;
  std::error_code error;
  if (path.extension() == ".idx" && fs::exists(tokens.replace_extension(".bin"), error))
    paths.push_back({name + "[bin]", tokens});
  if (path.filename().string().ends_with(".index.json"))
    add_shards(paths, name, path.parent_path());
}

}  // namespace

bool names_file(std::string_view key) {
  return key.ends_with(".path") || key == replay_key;
}

bool names_files(std::string_view key) {
  return key.ends_with(".paths");
}

void expand_case_dir(Json& value, const std::string& folder) {
  constexpr std::string_view placeholder = "{case_dir}";
  if (value.is_array())
    for (Json& each : value)
      expand_case_dir(each, folder);
  if (!value.is_string())
    return;
  auto path = value.get<std::string>();
  if (const size_t at = path.find(placeholder); at != std::string::npos)
    value = path.replace(at, placeholder.size(), folder);
}

std::vector<InputPath> input_paths(const std::string& key, const Json& value) {
  std::vector<InputPath> paths;
  if (names_file(key))
    add(paths, key, value);
  if (names_files(key) && value.is_array())
    for (size_t i = 0; i < value.size(); ++i)
      add(paths, key + "[" + std::to_string(i) + "]", value[i]);
  return paths;
}

std::string key_of_input(const std::string& name) {
  return name.substr(0, name.find('['));
}

}  // namespace parity::suite
