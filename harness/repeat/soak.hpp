// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "harness/base/terminal/progress.hpp"
#include "harness/repeat/soak_record.hpp"
#include "harness/suite/cases/case.hpp"
#include "harness/suite/repeats.hpp"
#include "harness/suite/runs/run_settings.hpp"

namespace parity::repeat {

/// How long a soak lasts, and what it does to the repetitions.
struct SoakOptions {
  suite::RunSettings run;
  int64_t times = 3;                      ///< runs in all, the first included; 0: until `seconds` are over
  std::optional<double> seconds = {};     ///< no repetition begins later [seconds, over all sessions]
  std::vector<compare::Condition> under;  ///< in turn; empty: none
  /// Updates between those whose tensors are recorded, and between checkpoints of the first run.
  int64_t every = 1;
  bool collectives = false;                ///< a command records the checksums of its collectives, too
  bool fresh = false;                      ///< forget an earlier session
  std::vector<trace::Fault> planted = {};  ///< into the first repetition, to see that it is found
  suite::UpdateComparison compare_update = {};
};

/// Called with a finding as soon as it is classified.
using FindingListener = std::function<void(const SoakFinding& finding)>;

/// Repeats a run and compares each repetition with the first run, bit for bit, in everything that both
/// recorded (relation `repeats`). A repetition that differs is narrowed and classified by further runs from
/// the last checkpoint before the difference (suite/repeats.hpp); its run is kept, and those of clean ones
/// are deleted.
///
/// Saves its record after each repetition. A later call with the same target and folder continues, after
/// Ctrl-C as after a kill.
/// \param source  of target_case()
/// \return the record, as far as it came; `interrupted()` says whether Ctrl-C ended it
/// \throws UserError if the first run fails (its exit code), the folder is in use or belongs to another run
SoakRecord soak(suite::Case source, const SoakOptions& options, Progress& progress,
                const FindingListener& found);

}  // namespace parity::repeat
