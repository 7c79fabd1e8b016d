// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json.hpp"
#include "harness/base/progress.hpp"
#include "harness/golden/golden.hpp"
#include "harness/suite/cases/case.hpp"
#include "harness/suite/goldens/sizes.hpp"
#include "harness/suite/judge/standing_evidence.hpp"
#include "harness/suite/results/case_outcome.hpp"
#include "harness/suite/runs/run_settings.hpp"
#include "harness/suite/shard.hpp"

namespace parity {

/// How a suite is run.
struct SuiteOptions : RunSettings {
  bool keep_traces = false;  ///< whether runs of cases that passed are never dropped
  GoldenMode golden_mode = GoldenMode::compare;
  std::string golden_reason;  ///< why stored values may change
  DriftMode drift = DriftMode::notice;
  EvidenceMode evidence = EvidenceMode::stored;
  bool golden_variant = false;      ///< keep what drifted beside what is stored, not in its place
  std::optional<SuiteShard> shard;  ///< run only this machine's part of the cases
  bool fail_fast = false;           ///< stop at the first case that fails
  std::vector<std::filesystem::path> unused_goldens;  ///< to be told as a failure of the suite
  std::optional<GoldenSizes> golden_sizes;            ///< to be told, and a failure where they are too large
};

/// Called with a case's results (results.json form) as soon as its runs have ended.
using CaseListener = std::function<void(const Json& results_of_case)>;

/// What is known of a suite once it has ended; its results lie in results.json.
struct SuiteOutcome {
  std::vector<CaseOutcome> cases;       ///< those that were judged
  std::vector<std::string> unfinished;  ///< names of those that were left out because the suite was stopped
  bool interrupted = false;             ///< by a signal, not by the first failure
};

/// Runs cases: plan, runs, judgement, goldens; writes OUT/results.json (schema parity.results/1).
///
/// A case's results are on disk once it is judged, and `finished` has seen them: memory does not grow with
/// what the cases hold. After Ctrl-C, cases whose runs had ended are judged and kept. After the first failure
/// of a fail-fast suite nothing more is judged.
///
/// \throws UserError for bad cases (before anything runs), a missing trainer, an output folder in use
SuiteOutcome run_suite(const std::vector<Case>& cases, const SuiteOptions& options, Progress& progress,
                       const CaseListener& finished);

}  // namespace parity
