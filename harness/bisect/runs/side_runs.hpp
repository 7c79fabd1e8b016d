// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/base/terminal/progress.hpp"
#include "harness/suite/derived/extra_arms.hpp"
#include "harness/suite/runs/run_settings.hpp"
#include "harness/trace/format/capture.hpp"

namespace parity::bisect {

/// Two arms of a case, of which `expected` is the reference.
struct Sides {
  suite::Case source;
  std::string expected, actual;
  /// The only update that a search of exact twins looks at. Both begin it from the values that `expected` has
  /// before it. 0: the first two updates.
  int64_t update = 0;
};

/// A config key whose value differs between the two sides.
struct ConfigDifference {
  std::string key;
  Json expected, actual;
};

/// The traces of both sides over the same updates.
struct SideTraces {
  suite::ArmRuns runs;
  std::string expected, actual;  ///< names of the arms that ran
  int64_t executed = 0;          ///< number of executed runs
  int64_t cached = 0;            ///< number of runs from the cache
  /// Why a side ended early, with a partial trace; "" if it did not.
  std::string failed_expected, failed_actual;
  double seconds = 0;

  const trace::Trace& expected_trace() const { return *runs.evidence.trace(expected); }
  const trace::Trace& actual_trace() const { return *runs.evidence.trace(actual); }
};

/// Runs the two sides again, over chosen updates and with a chosen capture. Uses plan, cache and runner, so
/// no run is repeated.
class SideRuns {
 public:
  SideRuns(const Sides& sides, const suite::RunSettings& options, Progress& progress);

  /// Makes both sides run in float64 from now on, where rounding almost vanishes.
  void widen() { widened_ = true; }
  /// Returns whether float64 twins of the sides can show more: both are float32, and neither is a command.
  bool can_widen() const;

  /// The updates that both sides make.
  struct Span {
    int64_t stop_after = 0;
    int64_t checkpoint_every = 0;
    /// Runs with a checkpoint after `start_step` to resume from; null: start at update 1.
    const SideTraces* from = nullptr;
    int64_t start_step = 0;
  };
  /// Run both sides.
  /// \throws UserError with the side's message if a side does not finish; `run_as_far_as_possible` throws
  /// only
  ///         if a side left no trace
  SideTraces run(const std::string& suffix, const Span& span, const trace::Capture& capture);
  SideTraces run_as_far_as_possible(const std::string& suffix, const Span& span,
                                    const trace::Capture& capture);
  /// Runs both sides with teacher forcing. The good side records tensors. Each time the bad side has recorded
  /// one of them, it continues with the good side's values.
  /// \param kept  capture of the good side
  /// \throws UserError as `run`
  SideTraces run_fed(const std::string& suffix, const Span& span, const trace::Capture& kept,
                     const trace::Capture& compared);
  /// Runs the good side and, in place of the bad side, the good side with these perturbations.
  /// \throws UserError as `run`
  SideTraces run_shaken(const std::string& suffix, const Span& span, const trace::Capture& capture,
                        const std::vector<trace::Fault>& shakes);

  std::vector<ConfigDifference> config_differences() const;
  /// Trains the expected side in float32 up to the update before `Sides::update`, for a checkpoint there.
  /// \throws UserError as `run`
  SideTraces run_values();

  /// Returns the last update to search. Of exact twins this is `Sides::update`, or the second: each update is
  /// a proof of its own. Of commands whose case does not state `steps` it is the last that both have made, 0
  /// before they have run.
  int64_t steps() const;
  /// Returns whether the sides are exact twins. Their channels have ordinary values, which do not count.
  bool are_exact() const;
  /// Returns whether the sides can stop early. Commands and arms that restart cannot.
  bool can_stop_early() const;
  /// Returns whether the sides can resume from a checkpoint as well. It keeps no residues of exact twins.
  bool can_resume_from_checkpoint() const { return can_stop_early() && !are_exact(); }
  /// Returns whether teacher forcing is possible: both sides are parity-train, and not exact twins.
  bool can_be_fed() const;

 private:
  suite::ExtraArm again(const std::string& name, const std::string& suffix, const Span& span,
                        const trace::Capture& capture) const;
  SideTraces run_extra(const std::vector<suite::ExtraArm>& extra);

  Sides sides_;
  suite::RunSettings options_;
  Progress& progress_;
  suite::PlannedCase planned_;
  bool widened_ = false;
  int64_t made_ = 0;  ///< the last update of both sides in their last runs
};

}  // namespace parity::bisect
