// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/format/file_names.hpp"

#include <string>

namespace parity::trace {
namespace fs = std::filesystem;

fs::path rank_path(const fs::path& path, int64_t rank) {
  const std::string suffix = ".rank" + std::to_string(rank);
  if (rank == 0 || path.stem().extension() == suffix)
    return path;
  return path.parent_path() / (path.stem().string() + suffix + path.extension().string());
}

fs::path partial_path(const fs::path& path) {
  fs::path partial = path;
  partial += ".partial";
  return partial;
}

}  // namespace parity::trace
