// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/identity/file_times.hpp"

#include <algorithm>

#include <sys/stat.h>

namespace parity::suite {
namespace {

int64_t nanoseconds(const timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

FileTimes times_of(const std::filesystem::path& path) {
  struct stat facts = {};
  if (::stat(path.c_str(), &facts) != 0)
    return {};
  const int64_t written = nanoseconds(facts.st_mtim);
  return {written, std::max(written, nanoseconds(facts.st_ctim))};
}

}  // namespace parity::suite
