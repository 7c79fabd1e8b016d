// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/base/progress.hpp"
#include "harness/suite/derived/extra_arms.hpp"
#include "harness/suite/runs/run_settings.hpp"
#include "harness/trace/format/capture.hpp"

namespace parity {

/// Two arms of a case, one of them taken for right.
struct Sides {
  Case source;
  std::string expected, actual;
};

/// A config key that the two sides do not share.
struct ConfigDifference {
  std::string key;
  Json expected, actual;
};

/// What both sides left of the same updates.
struct SideTraces {
  ArmRuns runs;
  std::string expected, actual;  ///< names of the arms that were run
  int64_t executed = 0;          ///< of the runs
  int64_t cached = 0;            ///< the others
  /// Why a side ended before its time, its trace being partial; "" if it did not.
  std::string failed_expected, failed_actual;
  double seconds = 0;

  const Trace& expected_trace() const { return *runs.evidence.trace(expected); }
  const Trace& actual_trace() const { return *runs.evidence.trace(actual); }
};

/// Runs the two sides again, over chosen updates and with a chosen capture, through plan, cache and runner:
/// what was run before is not run again.
class SideRuns {
 public:
  SideRuns(const Sides& sides, const RunSettings& options, Progress& progress);

  /// Both sides in float64 from now on, where rounding all but disappears.
  void widen() { widened_ = true; }
  /// Whether they have float64 twins that say more than they do: both are float32, and no command.
  bool can_widen() const;

  /// Which updates both sides make.
  struct Span {
    int64_t stop_after = 0;
    int64_t checkpoint_every = 0;
    const SideTraces* from =
        nullptr;  ///< runs that left a checkpoint after `start_step`; null: the beginning
    int64_t start_step = 0;
  };
  /// \throws UserError if a side does not finish, with its own words; of `run_as_far_as_possible` only if it
  /// left no trace
  SideTraces run(const std::string& suffix, const Span& span, const Capture& capture);
  SideTraces run_as_far_as_possible(const std::string& suffix, const Span& span, const Capture& capture);
  /// The good side keeps tensors; the other one, each time it has recorded one of these, goes on with the
  /// good side's numbers. \param kept  capture of the good side. \throws UserError as `run`
  SideTraces run_fed(const std::string& suffix, const Span& span, const Capture& kept,
                     const Capture& compared);
  /// The good side, and in the place of the other one the good side with these changes. \throws UserError as
  /// `run`
  SideTraces run_shaken(const std::string& suffix, const Span& span, const Capture& capture,
                        const std::vector<Fault>& shakes);

  std::vector<ConfigDifference> config_differences() const;
  int64_t steps() const;
  /// Whether the sides can go on from a checkpoint, and can stop early: not those that restart by themselves,
  /// and not commands.
  bool can_start_on_the_way() const;
  /// Whether one side can go on with numbers of the other: both are parity-train.
  bool can_be_fed() const;

 private:
  ExtraArm again(const std::string& name, const std::string& suffix, const Span& span,
                 const Capture& capture) const;
  SideTraces run_extra(const std::vector<ExtraArm>& extra);

  Sides sides_;
  RunSettings options_;
  Progress& progress_;
  PlannedCase planned_;
  bool widened_ = false;
};

}  // namespace parity
