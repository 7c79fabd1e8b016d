// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "harness/suite/plan/planned_run.hpp"

namespace parity::suite {

/// The times of the last runs, from which time limits of jobs are estimated: OUT/jobs/times.json.
class JobTimes {
 public:
  explicit JobTimes(std::filesystem::path file);

  /// Returns a time limit [minutes] for a run: four times what the same arm took last, and at least five
  /// minutes. 0 if it never ran.
  int64_t limit_of(const PlannedRun& run) const;
  void add(const PlannedRun& run, double seconds);
  void forget(const PlannedRun& run);

 private:
  void write() const;

  std::filesystem::path file_;
  std::map<std::string, double> seconds_;
};

}  // namespace parity::suite
