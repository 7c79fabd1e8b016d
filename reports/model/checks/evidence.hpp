// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "reports/model/case.hpp"

namespace parity::reports {

/// "evidence of 2026-11-23 (parity 0.1.0, commit abc), bits unchanged since"; "" where twins ran or none were
/// needed.
std::string evidence_label(const std::optional<CheckEvidence>& evidence);

/// How much of a case, or of a suite, rests on stored evidence.
struct EvidenceShare {
  size_t on_twins = 0;   ///< checks that need float64 evidence
  size_t stored = 0;     ///< of these, on stored evidence
  CheckEvidence oldest;  ///< of the stored ones

  void add(const std::optional<CheckEvidence>& evidence);
  void add(const EvidenceShare& other);
  /// "31 of 34 float64 checks on stored evidence, the oldest of 2026-11-23"; "" where nothing needs any.
  std::string label() const;
};

}  // namespace parity::reports
