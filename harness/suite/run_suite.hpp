// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/base/terminal/progress.hpp"
#include "harness/suite/cases/case.hpp"
#include "harness/suite/results/case_outcome.hpp"
#include "harness/suite/results/file/earlier.hpp"
#include "harness/suite/suite_options.hpp"

namespace parity::suite {

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
