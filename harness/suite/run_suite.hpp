// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/base/terminal/progress.hpp"
#include "harness/golden/golden.hpp"
#include "harness/suite/cases/case.hpp"
#include "harness/suite/goldens/sizes.hpp"
#include "harness/suite/judge/standing_evidence.hpp"
#include "harness/suite/repeats.hpp"
#include "harness/suite/results/case_outcome.hpp"
#include "harness/suite/results/file/earlier.hpp"
#include "harness/suite/runs/place.hpp"
#include "harness/suite/runs/run_settings.hpp"
#include "harness/suite/shard.hpp"

namespace parity::suite {

/// Options of run_suite().
struct SuiteOptions : RunSettings {
  RunPlace* place = nullptr;  ///< where runs execute; null: on this machine
  bool keep_traces = false;   ///< never drop the runs of passed cases
  golden::GoldenMode golden_mode = golden::GoldenMode::compare;
  std::string golden_reason;  ///< why stored values may change
  golden::DriftMode drift = golden::DriftMode::notice;
  EvidenceMode evidence = EvidenceMode::stored;
  /// Whether a golden that drifted is recorded as a further variant, next to the stored values instead of in
  /// their place.
  bool golden_variant = false;
  std::optional<SuiteShard> shard;  ///< run only this shard of the cases
  bool fail_fast = false;           ///< stop at the first failed case
  /// Goldens that belong to no case. The suite reports each as a failure.
  std::vector<std::filesystem::path> unused_goldens;
  /// Sizes of all goldens, which the results include. The suite fails if they are above their limit.
  std::optional<GoldenSizes> golden_sizes;
  /// Names the operator at which two runs of one arm diverge. If it is not set, the suite names the first
  /// quantity only.
  UpdateComparison compare_update;
};

/// Called with a case's results (results.json form) as soon as its runs have ended.
using CaseListener = std::function<void(const results::Case& item)>;

/// The outcome of a suite. The results themselves are in results.json.
struct SuiteOutcome {
  std::vector<CaseOutcome> cases;       ///< judged cases
  std::vector<std::string> unfinished;  ///< names of cases not judged, because the suite stopped
  bool interrupted = false;             ///< by a signal, not by the first failure
  /// The report that these results replaced, if it has rows of other cases.
  std::optional<EarlierReport> earlier;
};

/// Plans, runs and judges cases, compares or records their goldens, and writes OUT/results.json (schema
/// parity.results/2).
///
/// Once a case is judged, its results are on disk and `finished` has received them, so memory does not grow
/// with the size of the results. After Ctrl-C, the suite judges and keeps the cases whose runs had ended.
/// After the first failure, a fail-fast suite judges no further case.
///
/// \throws UserError for bad cases (before anything runs), a missing trainer, an output folder in use
SuiteOutcome run_suite(const std::vector<Case>& cases, const SuiteOptions& options, Progress& progress,
                       const CaseListener& finished);

}  // namespace parity::suite
