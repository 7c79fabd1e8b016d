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

namespace parity {

/// The good side with some of the bad side's values. Nothing switched on is the good side itself, everything
/// the bad one.
struct Hybrid {
  Toggles on;
  int64_t stop_after = 0;  ///< the update after which nothing is looked at; 0: the whole run
  int repeat = 0;          ///< 1, 2, ...: the same again, executed anew
  bool float64 = false;    ///< its twin

  auto operator<=>(const Hybrid&) const = default;
};

/// What was run for a search.
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

/// Runs hybrids of two arms through plan, cache and runner, each once.
class OptionRuns {
 public:
  /// \param sides  a case of two arms without checks: the good one, then the bad one
  OptionRuns(Case sides, std::vector<OptionToggle> toggles, const RunSettings& options, Progress& progress);

  const std::vector<OptionToggle>& toggles() const { return toggles_; }
  Toggles all() const;
  /// Whether a run can end before its last step: one of parity-train that does not restart.
  bool can_stop() const { return can_stop_; }
  /// Runs beside each other what is not known yet.
  void fetch(const std::vector<Hybrid>& hybrids);
  /// A run that failed is an answer too. The reference stays valid.
  const RunCurves& of(const Hybrid& hybrid);
  Effort effort() const { return effort_; }
  /// How many runs of hybrids were asked for, neither side of the search nor twins nor repeats among them.
  int64_t hybrids() const;

 private:
  Arm arm_of(const Hybrid& hybrid) const;
  void run(const std::vector<Hybrid>& hybrids, int repeat);

  Case sides_;
  std::vector<OptionToggle> toggles_;
  RunSettings options_;
  Progress& progress_;
  std::map<Hybrid, RunCurves> known_;
  /// Configs that the trainer refuses, which it does wherever a run would stop: no process is started again.
  std::map<std::pair<Toggles, bool>, RunCurves> refused_;
  Effort effort_;
  bool can_stop_ = true;
};

}  // namespace parity
