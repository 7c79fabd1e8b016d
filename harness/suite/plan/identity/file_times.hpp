// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

namespace parity::suite {

/// Times of a file or folder [nanoseconds since 1970]; 0 if it is missing.
struct FileTimes {
  int64_t written = 0;
  /// Written, renamed or linked: a file moved in place of another keeps the time of its writing.
  int64_t changed = 0;
};

FileTimes times_of(const std::filesystem::path& path);

}  // namespace parity::suite
