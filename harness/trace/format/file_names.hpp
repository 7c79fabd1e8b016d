// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

namespace parity::trace {

/// Returns the path of rank k's trace: trace.rank2.h5 next to rank 0's trace.h5. Rank 0's path, and a path
/// that is already rank k's, are returned unchanged.
std::filesystem::path rank_path(const std::filesystem::path& path, int64_t rank);

/// Returns the path of an unfinished trace: "trace.h5.partial" for "trace.h5".
std::filesystem::path partial_path(const std::filesystem::path& path);

}  // namespace parity::trace
