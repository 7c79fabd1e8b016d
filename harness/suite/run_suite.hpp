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
#include "harness/suite/case.hpp"
#include "harness/suite/shard.hpp"

namespace parity {

/// Enough for the runs of some ten suites of ours.
inline constexpr uint64_t default_cache_bytes = uint64_t{10} << 30;

/// How a suite is run.
struct SuiteOptions {
  std::filesystem::path out = "out/suite";  ///< results.json and runs/ go here
  std::filesystem::path trainer;            ///< parity-train; its schema lies beside it
  int jobs = 1;                             ///< core slots
  bool use_cache = true;
  uint64_t cache_bytes = default_cache_bytes;  ///< most that runs/ may take; least recently used go first
  bool keep_traces = false;                    ///< whether runs of cases that passed are never dropped
  GoldenMode golden_mode = GoldenMode::compare;
  std::string golden_reason;                          ///< why stored values may change
  std::optional<SuiteShard> shard;                    ///< run only this machine's part of the cases
  bool fail_fast = false;                             ///< stop at the first case that fails
  std::vector<std::filesystem::path> unused_goldens;  ///< to be told as a failure of the suite
  Json producer = Json::object();                     ///< name, version, commit, dirty
  std::vector<std::string> command;
};

/// Called with a case's results (results.json form) as soon as its runs have ended.
using CaseListener = std::function<void(const Json& results_of_case)>;

/// Runs cases: plan, runs, judgement, goldens; writes OUT/results.json (schema parity.results/1) and returns
/// it.
///
/// After Ctrl-C, cases whose runs had ended are judged and kept; `interrupted` is true in what is returned.
/// After the first failure of a fail-fast suite nothing more is judged. `unfinished` names the cases left
/// out.
///
/// \throws UserError for bad cases (before anything runs), a missing trainer, an output folder in use
Json run_suite(const std::vector<Case>& cases, const SuiteOptions& options, Progress& progress,
               const CaseListener& finished);

}  // namespace parity
