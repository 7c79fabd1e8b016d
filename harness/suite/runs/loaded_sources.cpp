// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/runs/loaded_sources.hpp"

#include <algorithm>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/suite/plan/content_hash.hpp"
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

}  // namespace

Json hash_sources(const fs::path& folder) {
  std::error_code error;
  Json hashes = Json::object();
  if (!fs::is_regular_file(folder / sources_name, error))
    return hashes;
  const Json listed = read_json(read_file(folder / sources_name, largest_list));
  if (listed.is_array())
    for (const Json& path : listed)
      if (path.is_string())
        hashes[path.get<std::string>()] = hash_or_none(path.get<std::string>());
  return hashes;
}

bool has_sources(const Json& hashes) {
  return hashes.is_object() && std::ranges::all_of(hashes.items(), [](const auto& item) {
           return item.value().is_string() && !item.value().template get<std::string>().empty() &&
                  hash_or_none(item.key()) == item.value().template get<std::string>();
         });
}

}  // namespace parity::suite
