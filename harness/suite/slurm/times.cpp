// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/slurm/times.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/json/json.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

constexpr double times_margin = 4;  // other nodes, a busy file system
constexpr int64_t least_limit = 5;  // minutes: starting takes a while

std::string key_of(const PlannedRun& run) {
  return fmt::format("{} {} {} updates {} ranks", run.label, run.dtype, run.last_step(), run.ranks);
}

}  // namespace

JobTimes::JobTimes(fs::path file) : file_(std::move(file)) {
  std::error_code error;
  if (!fs::is_regular_file(file_, error))
    return;
  try {
    read_json(read_file(file_)).get_to(seconds_);
  } catch (const UserError&) {
    seconds_.clear();  // estimates only
  } catch (const Json::exception&) {
    seconds_.clear();
  }
}

int64_t JobTimes::limit_of(const PlannedRun& run) const {
  const auto found = seconds_.find(key_of(run));
  if (found == seconds_.end() || !(found->second >= 0 && found->second < 1e7))
    return 0;
  return std::max(least_limit, static_cast<int64_t>(std::ceil(times_margin * found->second / 60)));
}

void JobTimes::add(const PlannedRun& run, double seconds) {
  seconds_[key_of(run)] = seconds;
  write();
}

void JobTimes::forget(const PlannedRun& run) {
  if (seconds_.erase(key_of(run)) > 0)
    write();
}

void JobTimes::write() const {
  try {
    write_file(file_, json_text(seconds_, 1) + "\n");
  } catch (const UserError&) {
    return;  // estimates only
  }
}

}  // namespace parity::suite
