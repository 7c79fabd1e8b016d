// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

namespace parity::suite {

/// The size limit of the run cache, and the ids of runs that it may not drop.
struct CachePolicy {
  uint64_t most_bytes = 0;
  /// Runs that are never dropped: those of failed cases, since a person will look at them.
  std::set<std::string> kept;
  /// Runs that are dropped only if no others remain: those of cases that have just passed.
  std::set<std::string> kept_long;
};

/// The effect of trim_cache().
struct CacheTrim {
  size_t dropped = 0;
  uint64_t freed_bytes = 0;
  uint64_t left_bytes = 0;

  /// Returns a sentence about what was dropped; "" if nothing was.
  std::string text() const;
};

/// Deletes folders in `runs` until the rest take at most `policy.most_bytes`: the least recently used first,
/// then those in `kept_long`, the largest first.
///
/// An interrupted deletion leaves a run without run.json, which the cache ignores. Folders that cannot be
/// deleted stay.
CacheTrim trim_cache(const std::filesystem::path& runs, const CachePolicy& policy);

/// Returns a size for messages: "12 GiB", "1.5 MiB".
std::string format_bytes(uint64_t bytes);

/// Returns the number of bytes of "20G", "512M" or "0" (K, M, G, T: powers of 1024).
/// \throws UserError for any other text
uint64_t parse_bytes(const std::string& words);

}  // namespace parity::suite
