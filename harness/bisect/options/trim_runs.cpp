// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/options/trim_runs.hpp"

#include <algorithm>
#include <set>

#include "harness/suite/runs/cache.hpp"
#include "harness/suite/runs/store.hpp"

namespace parity::bisect {
namespace fs = std::filesystem;

fs::path repeats_folder(const fs::path& out) {
  return out / "bisect" / "repeats";
}

void trim_search_runs(const suite::RunSettings& options) {
  std::set<fs::path> folders;
  std::error_code error;
  for (fs::directory_iterator at(repeats_folder(options.out), error), end; !error && at != end;
       at.increment(error))
    folders.insert(at->path());
  uint64_t left = options.cache_bytes;
  const auto trim = [&left](const fs::path& out) {
    left -= std::min(left, suite::trim_cache(suite::RunStore(out).runs(), {left, {}, {}}).left_bytes);
  };
  trim(options.out);
  for (const fs::path& folder : folders)
    trim(folder);
}

}  // namespace parity::bisect
