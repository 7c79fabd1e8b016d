// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/runs/heartbeat.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/suite/plan/rank_environment.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

constexpr uint64_t largest_heartbeat = 64 << 10;

int64_t step_of(const Json& heartbeat) {
  return integer_or(heartbeat, "step", 0);
}

}  // namespace

Json heartbeat_of(const fs::path& folder, int rank) {
  const fs::path file = folder / heartbeat_name(rank);
  std::error_code error;
  if (!fs::is_regular_file(file, error))
    return nullptr;
  try {
    return read_json(read_file(file, largest_heartbeat));
  } catch (const UserError&) {
    return nullptr;  // being replaced
  }
}

int64_t updates_done(const PlannedRun& run, const fs::path& folder) {
  int64_t least = run.steps;
  for (int rank = 0; rank < run.ranks; ++rank)
    least = std::min(least, step_of(heartbeat_of(folder, rank)));
  return least;
}

std::string describe_place(const Json& heartbeat) {
  if (heartbeat.is_null())  // of a program that reports none, or not yet
    return "before it reported an update";
  if (const std::string place = text_or(heartbeat, "place"); !place.empty())  // of an operator's sweep
    return "at " + escape_for_terminal(place);
  if (const int64_t step = step_of(heartbeat); step > 0)
    return fmt::format("at update {}", step);
  const std::string phase = text_or(heartbeat, "phase");
  return "before the first update" + (phase.empty() ? "" : " (" + escape_for_terminal(phase) + ")");
}

}  // namespace parity::suite
