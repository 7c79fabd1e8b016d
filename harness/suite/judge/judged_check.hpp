// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/compare/check.hpp"
#include "harness/golden/evidence_record.hpp"

namespace parity {

/// One line of a case's results: a claim and what was found.
struct JudgedCheck {
  std::string kind;      ///< pair, training, replicas or golden
  std::string quantity;  ///< "lr", "grad layers.*.wq.weight"
  Check claim;
  CheckResult result;
  /// Where its float64 evidence comes from if a golden held it; nothing where twins ran, or none were needed.
  std::optional<EvidenceOrigin> stored = {};
};

}  // namespace parity
