// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"

namespace parity::suite {

/// The results folder if `--out` is not given.
inline constexpr const char* default_out_folder = "out/suite";

/// The default size of the run cache: enough for some ten full suites of this repository.
inline constexpr uint64_t default_cache_bytes = uint64_t{10} << 30;

/// Settings for executing runs.
struct RunSettings {
  std::filesystem::path out = default_out_folder;  ///< folder of results.json and runs/
  std::filesystem::path trainer;                   ///< parity-train, with its schema next to it
  int jobs = 1;                                    ///< core slots
  bool use_cache = true;
  /// Largest size of runs/; the least recently used runs are dropped first.
  uint64_t cache_bytes = default_cache_bytes;
  Json producer = Json::object();    ///< name, version, commit, dirty
  std::vector<std::string> command;  ///< the command line of this process
};

/// Appends `--out OUT` to a command line, unless `out` is the default folder.
void add_out_option(std::vector<std::string>& words, const std::filesystem::path& out);

}  // namespace parity::suite
