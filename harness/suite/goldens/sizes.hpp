// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/results/case.hpp"

namespace parity::suite {

/// The default limit of the total size of goldens. Each clone of the repository downloads them with their
/// history.
inline constexpr uint64_t default_golden_bytes = uint64_t{64} << 20;

struct GoldenSize {
  std::filesystem::path file;
  uint64_t bytes = 0;
};

/// The sizes of the goldens, and the limit of their sum [bytes].
struct GoldenSizes {
  std::vector<GoldenSize> files;  ///< largest first
  uint64_t limit = default_golden_bytes;

  uint64_t bytes() const;
  bool too_large() const { return bytes() > limit; }
  /// Returns {"files", "bytes", "limit"}, the member `goldens` of results.json.
  Json to_json() const;
};

/// Returns the sizes of every golden (*.h5) of the cases below `root`, and of the measured power next to it.
GoldenSizes golden_sizes(const std::filesystem::path& root, uint64_t limit);

/// Returns a failed case that reports the total size, the largest files and a remedy.
results::Case oversized_goldens_results(const GoldenSizes& sizes);

}  // namespace parity::suite
