// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/compare/check.hpp"
#include "harness/golden/golden.hpp"
#include "harness/golden/golden_file.hpp"
#include "harness/suite/evidence.hpp"
#include "harness/suite/plan.hpp"

namespace parity {

/// One line of a case's results: a claim and what was found.
struct JudgedCheck {
  std::string kind;      ///< pair, training, replicas or golden
  std::string quantity;  ///< "lr", "grad layers.*.wq.weight"
  Check claim;
  CheckResult result;
};

/// How goldens are treated in this suite.
struct GoldenPolicy {
  GoldenMode mode = GoldenMode::compare;
  GoldenOrigin origin;  ///< case_name and command are filled in per case
  std::string reason;   ///< why stored values may change; without one they do not
  DriftMode drift = DriftMode::notice;
  bool variant = false;  ///< what drifted is kept beside what is stored
};

/// Whether the golden will be written if the case's checks hold.
bool will_record(const Case& source, GoldenMode mode);

/// Checks of the case against its golden.
std::vector<Check> claims_on_golden(const Case& source);

/// Judges a case: its checks, then "it trained" for every arm with a loss, "replicas are
/// equal" for every arm of several ranks, then its golden (compared or
/// recorded, as the mode says; never recorded while a check fails).
/// \param golden  what the case's golden file holds now
std::vector<JudgedCheck> judge_case(const PlannedCase& planned, const Evidence& evidence,
                                    const StoredGolden& golden, const GoldenPolicy& policy);

/// "all", "warmup", "2-5".
std::string window_words(const StepWindow& window);

}  // namespace parity
