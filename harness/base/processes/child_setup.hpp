// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

namespace parity {

/// Returns a set of cores; nothing if the list is empty, which means all.
inline std::optional<cpu_set_t> core_set(const std::vector<int>& cores) {
  std::optional<cpu_set_t> set;
  if (!cores.empty())
    CPU_ZERO(&set.emplace());
  for (const int core : cores)
    CPU_SET(static_cast<size_t>(core), &*set);
  return set;
}

/// Places this process on the cores and opens its three streams, stdin as /dev/null. Makes only
/// async-signal-safe calls, so that it may run between fork and exec. \return whether all succeeded; else
/// errno says why
inline bool set_up_child(const std::optional<cpu_set_t>& cores, const char* out, const char* err) {
  const auto opens_as = [](const char* path, int flags, int target) {
    const int file = ::open(path, flags | O_CLOEXEC, 0644);
    if (file == target)  // it was closed
      return ::fcntl(file, F_SETFD, 0) == 0;
    return file >= 0 && ::dup2(file, target) >= 0 && ::close(file) == 0;
  };
  return (!cores || ::sched_setaffinity(0, sizeof *cores, &*cores) == 0) &&
         opens_as("/dev/null", O_RDONLY, 0) && opens_as(out, O_WRONLY | O_CREAT | O_APPEND, 1) &&
         opens_as(err, O_WRONLY | O_CREAT | O_APPEND, 2);
}

}  // namespace parity
