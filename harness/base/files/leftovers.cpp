// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/base/files/leftovers.hpp"

#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace parity {
namespace fs = std::filesystem;
namespace {

constexpr std::chrono::minutes quiet{1};

/// Returns the process that created a temporary file, from ".parity-PID-N.tmp" or its journal; nothing for
/// other names.
std::optional<pid_t> maker_of(std::string_view name) {
  constexpr std::string_view start = ".parity-";
  if (!name.starts_with(start) || !(name.ends_with(".tmp") || name.ends_with(".tmp.journal")))
    return std::nullopt;
  name.remove_prefix(start.size());
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
  if (error != std::errc() || pid <= 0 || end == name.data() + name.size() || *end != '-')
    return std::nullopt;
  return pid;
}

bool is_gone(pid_t pid) {
  return ::kill(pid, 0) != 0 && errno == ESRCH;
}

}  // namespace

void remove_leftovers(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const auto maker = maker_of(at->path().filename().string());
    std::error_code ignored;
    if (!maker || !is_gone(*maker) || !fs::is_regular_file(fs::symlink_status(at->path(), ignored)))
      continue;
    const auto written = fs::last_write_time(at->path(), ignored);
    if (!ignored && fs::file_time_type::clock::now() - written > quiet)
      fs::remove(at->path(), ignored);
  }
}

}  // namespace parity
