// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <map>
#include <utility>
#include <vector>

#include "harness/bisect/options/run_curves.hpp"
#include "harness/bisect/options/toggles.hpp"
#include "harness/suite/derived/extra_arms.hpp"

namespace parity::bisect {

/// A run of the good side with some of the bad side's values. With no option on it is the good side, with all
/// options on the bad side.
struct Hybrid {
  Toggles on;
  int64_t stop_after = 0;  ///< the last update that is compared; 0: the last of the run
  int repeat = 0;          ///< 1, 2, ...: a further execution of the same run
  bool float64 = false;    ///< whether it is the float64 twin

  auto operator<=>(const Hybrid&) const = default;
};

/// The number and time of the runs of a search.
struct Effort {
  int64_t executed = 0, cached = 0;
  double seconds = 0;

  Effort operator+(const Effort& more) const {
    return {executed + more.executed, cached + more.cached, seconds + more.seconds};
  }
  Effort operator-(const Effort& before) const {
    return {executed - before.executed, cached - before.cached, seconds - before.seconds};
  }
};

/// Runs hybrids of two arms through plan, cache and runner. Runs each hybrid once.
class OptionRuns {
 public:
  /// \param sides  a case of two arms without checks: the good one, then the bad one
  OptionRuns(suite::Case sides, std::vector<OptionToggle> toggles, const suite::RunSettings& options,
             Progress& progress);

  const std::vector<OptionToggle>& toggles() const { return toggles_; }
  Toggles all() const;
  /// Returns whether a run can end before its last step. Only parity-train without a restart can.
  bool can_stop() const { return can_stop_; }
  /// Runs, in parallel, those hybrids that have not run yet.
  void fetch(const std::vector<Hybrid>& hybrids);
  /// Returns the curves of a hybrid, which may be those of a failed run. The reference stays valid.
  const RunCurves& of(const Hybrid& hybrid);
  Effort effort() const { return effort_; }
  /// Returns the number of distinct hybrids, without the sides of the search, twins and repeats.
  int64_t hybrids() const;

 private:
  suite::Arm arm_of(const Hybrid& hybrid) const;
  void run(const std::vector<Hybrid>& hybrids, int repeat);

  suite::Case sides_;
  std::vector<OptionToggle> toggles_;
  suite::RunSettings options_;
  Progress& progress_;
  std::map<Hybrid, RunCurves> known_;
  /// Configs that the trainer refused. The last update does not matter for that, so they are not tried again.
  std::map<std::pair<Toggles, bool>, RunCurves> refused_;
  Effort effort_;
  bool can_stop_ = true;
};

}  // namespace parity::bisect
