// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/runs/loaded_sources.hpp"

#include <algorithm>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/suite/plan/identity/content_hash.hpp"
#include "harness/suite/plan/rank_environment.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

constexpr uintmax_t largest_list = 16 << 20;  // bytes

/// Returns the hash of a file's bytes; "" if it cannot be read.
std::string hash_or_none(const std::string& path) {
  try {
    return hash_of_contents(path);
  } catch (const UserError&) {
    return "";
  }
}

/// Returns the hash of a file; "" if it was written after the run began, which then may have loaded other
/// text.
std::string hash_unless_later(const std::string& path, fs::file_time_type begun) {
  std::error_code error;
  return fs::last_write_time(path, error) > begun && !error ? "" : hash_or_none(path);
}

}  // namespace

Json hash_sources(const fs::path& folder) {
  std::error_code error;
  const fs::file_time_type begun = fs::last_write_time(folder / "capture.json", error);
  Json hashes = Json::object();
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(std::string(sources_name) + ".") || !name.ends_with(".json"))
      continue;
    const Json listed = read_json(read_file(entry.path(), largest_list));
    if (listed.is_array())
      for (const Json& path : listed)
        if (path.is_string())
          hashes[path.get<std::string>()] = hash_unless_later(path.get<std::string>(), begun);
  }
  return hashes;
}

bool has_sources(const Json& hashes) {
  return hashes.is_object() && std::ranges::all_of(hashes.items(), [](const auto& item) {
           return item.value().is_string() && !item.value().template get<std::string>().empty() &&
                  hash_or_none(item.key()) == item.value().template get<std::string>();
         });
}

}  // namespace parity::suite
