// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/base/enum_names.hpp"
#include "harness/compare/checks/check.hpp"
#include "harness/golden/evidence_record.hpp"
#include "harness/results/check_kind.hpp"

namespace parity::suite {

/// One line of a case's results: a claim and its result.
struct JudgedCheck {
  results::CheckKind kind = results::CheckKind::pair;
  std::string quantity;  ///< "lr", "grad layers.*.wq.weight"
  compare::Check claim;
  compare::CheckResult result;
  /// The origin of its float64 evidence, set if the evidence is from a golden. Not set if twins ran or none
  /// were needed.
  std::optional<golden::EvidenceOrigin> stored = {};
};

}  // namespace parity::suite
