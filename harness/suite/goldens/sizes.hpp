// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/json.hpp"

namespace parity {

/// What a repository should carry of goldens without a second thought; each clone pays for it, and for their
/// history.
inline constexpr uint64_t default_golden_bytes = uint64_t{64} << 20;

struct GoldenSize {
  std::filesystem::path file;
  uint64_t bytes = 0;
};

/// What the goldens take, and may take.
struct GoldenSizes {
  std::vector<GoldenSize> files;  ///< largest first
  uint64_t limit = default_golden_bytes;

  uint64_t bytes() const;
  bool too_large() const { return bytes() > limit; }
  /// {"files", "bytes", "limit"}: `goldens` of results.json.
  Json to_json() const;
};

/// Every golden (*.h5) and measured power beside it, of the cases below `root`.
GoldenSizes golden_sizes(const std::filesystem::path& root, uint64_t limit);

/// A case of results.json that failed: what they take, the largest of them, and what to do.
Json oversized_goldens_results(const GoldenSizes& sizes);

}  // namespace parity
