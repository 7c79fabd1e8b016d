// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/commits/orphan_reaper.hpp"

#include <string>

#include "harness/base/files/file.hpp"
#include "harness/base/processes/offspring.hpp"

namespace parity::bisect {
namespace fs = std::filesystem;
namespace {

constexpr size_t longest_mark = 64;

}  // namespace

OrphanReaper::OrphanReaper(fs::path file) : file_(std::move(file)) {
  if (fs::is_regular_file(file_))
    if (const std::string mark = read_file(file_, longest_mark); !mark.empty())
      end_offspring(mark);
  write_file(file_, own_offspring_mark());
}

OrphanReaper::~OrphanReaper() {
  std::error_code ignored;
  fs::remove(file_, ignored);
}

}  // namespace parity::bisect
