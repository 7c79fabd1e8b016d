// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/runs/cache.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

constexpr std::array<const char*, 5> units = {"", "K", "M", "G", "T"};

struct StoredRun {
  fs::path folder;
  uint64_t bytes = 0;
  fs::file_time_type used;  ///< time of run.json, or of the folder if there is none
  bool last_choice = false;
};

uint64_t bytes_below(const fs::path& folder) {
  uint64_t sum = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    if (at->is_regular_file(gone) && !at->is_symlink(gone)) {
      const uint64_t size = at->file_size(gone);
      sum += gone ? 0 : size;
    }
  }
  return sum;
}

/// Returns whether a name is that of a run. Other folders are not from parity and are never deleted.
bool is_run_id(const std::string& name) {
  return name.size() == 16 && name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

StoredRun stored_run(const fs::path& folder, const CachePolicy& policy) {
  StoredRun run{folder, bytes_below(folder), {}, policy.kept_long.contains(folder.filename().string())};
  std::error_code error;
  run.used = fs::last_write_time(folder / "run.json", error);
  if (error)
    run.used = fs::last_write_time(folder, error);
  return run;
}

bool drop(const fs::path& folder) {
  std::error_code error;
  fs::remove(folder / "run.json", error);  // first: from here on the folder is unfinished
  fs::remove_all(folder, error);
  return !error;
}

}  // namespace

std::string CacheTrim::text() const {
  return dropped == 0
             ? ""
             : fmt::format("cache: dropped {} run{} ({}), {} remain; set the limit with --cache-size",
                           dropped, dropped == 1 ? "" : "s", format_bytes(freed_bytes),
                           format_bytes(left_bytes));
}

CacheTrim trim_cache(const fs::path& runs, const CachePolicy& policy) {
  CacheTrim trim;
  std::vector<StoredRun> candidates;
  std::error_code error;
  for (fs::directory_iterator at(runs, error), end; !error && at != end; at.increment(error)) {
    if (at->is_symlink() || !at->is_directory() || !is_run_id(at->path().filename().string()))
      continue;
    const StoredRun run = stored_run(at->path(), policy);
    trim.left_bytes += run.bytes;
    if (!policy.kept.contains(run.folder.filename().string()))
      candidates.push_back(run);
  }
  std::sort(candidates.begin(), candidates.end(), [](const StoredRun& a, const StoredRun& b) {
    if (a.last_choice != b.last_choice)
      return b.last_choice;
    return a.last_choice ? std::tie(b.bytes, a.folder) < std::tie(a.bytes, b.folder)
                         : std::tie(a.used, a.folder) < std::tie(b.used, b.folder);
  });
  for (const StoredRun& run : candidates) {
    if (trim.left_bytes <= policy.most_bytes)
      break;
    if (!drop(run.folder))
      continue;
    ++trim.dropped;
    trim.freed_bytes += run.bytes;
    trim.left_bytes -= run.bytes;
  }
  return trim;
}

std::string format_bytes(uint64_t bytes) {
  size_t unit = 0;
  auto number = static_cast<double>(bytes);
  for (; number >= 1024 && unit + 1 < units.size(); ++unit)
    number /= 1024;
  return fmt::format("{:.{}f} {}{}", number, unit > 0 && number < 10 ? 1 : 0, units[unit],
                     unit > 0 ? "iB" : "bytes");
}

uint64_t parse_bytes(const std::string& words) {
  uint64_t number = 0;
  const char* const last = words.data() + words.size();
  const auto [end, error] = std::from_chars(words.data(), last, number);
  const std::string unit(end, last);
  const auto found = std::find(units.begin(), units.end(), unit);
  const auto shift = 10 * static_cast<unsigned>(found - units.begin());
  if (error != std::errc() || found == units.end() || (number << shift) >> shift != number)
    throw UserError(fmt::format(
        "invalid size '{}' (expected a whole number of bytes, or one with K, M, G or T); for example 20G",
        escape_to_line(words)));
  return number << shift;
}

}  // namespace parity::suite
