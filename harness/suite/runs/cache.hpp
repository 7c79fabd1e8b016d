// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

namespace parity {

/// Which runs a bounded cache may drop. Runs are named by their ids.
struct CachePolicy {
  uint64_t most_bytes = 0;
  std::set<std::string> kept;       ///< never dropped: what a failed case left, which somebody will look at
  std::set<std::string> kept_long;  ///< dropped only when nothing else is left: what passed just now
};

/// What trimming did.
struct CacheTrim {
  size_t dropped = 0;
  uint64_t freed_bytes = 0;
  uint64_t left_bytes = 0;
};

/// Deletes folders of `runs` until they take at most `policy.most_bytes`: the least recently used first, and
/// of those in `kept_long` the largest first. A deletion that is cut short leaves a run without run.json,
/// which is no answer. What cannot be deleted is left.
CacheTrim trim_cache(const std::filesystem::path& runs, const CachePolicy& policy);

/// "12 GiB", "1.5 MiB"; for messages.
std::string format_bytes(uint64_t bytes);

/// "20G", "512M", "0" as bytes (K, M, G, T: powers of 1024). \throws UserError for anything else
uint64_t parse_bytes(const std::string& words);

}  // namespace parity
