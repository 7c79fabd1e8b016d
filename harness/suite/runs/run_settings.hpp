// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/json.hpp"

namespace parity {

/// Where results go unless --out says otherwise.
inline constexpr const char* default_out_folder = "out/suite";

/// Enough for the runs of some ten suites of ours.
inline constexpr uint64_t default_cache_bytes = uint64_t{10} << 30;

/// How runs are executed.
struct RunSettings {
  std::filesystem::path out = default_out_folder;  ///< results.json and runs/ go here
  std::filesystem::path trainer;                   ///< parity-train; its schema lies beside it
  int jobs = 1;                                    ///< core slots
  bool use_cache = true;
  uint64_t cache_bytes = default_cache_bytes;  ///< most that runs/ may take; least recently used go first
  Json producer = Json::object();              ///< name, version, commit, dirty
  std::vector<std::string> command;            ///< the command line that asked
};

/// Appends `--out OUT` to a command line, unless `out` is the default folder.
void add_out_option(std::vector<std::string>& words, const std::filesystem::path& out);

}  // namespace parity
