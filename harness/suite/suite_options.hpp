// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/golden/golden.hpp"
#include "harness/results/case.hpp"
#include "harness/suite/goldens/sizes.hpp"
#include "harness/suite/judge/standing_evidence.hpp"
#include "harness/suite/repeats.hpp"
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

}  // namespace parity::suite
