// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/write/earlier_run.hpp"

#include <algorithm>
#include <chrono>

#include "harness/base/processes/process.hpp"
#include "harness/trace/format/file_names.hpp"
#include "harness/trace/read/rank_files.hpp"

namespace parity::trace {
namespace fs = std::filesystem;

void remove_rank_files_of_earlier_run(const fs::path& path) {
  std::error_code error;
  const fs::file_time_type started = std::chrono::file_clock::from_sys(process_start());
  const fs::file_time_type left = fs::last_write_time(path, error);
  const fs::file_time_type earlier = error ? started : std::max(started, left);
  for (const int64_t rank : ranks_beside(path)) {
    const fs::path file = rank_path(path, rank);
    const fs::file_time_type written = fs::last_write_time(file, error);
    if (!error && written <= earlier)
      fs::remove(file, error);
  }
}

}  // namespace parity::trace
