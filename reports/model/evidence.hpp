// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "reports/model/json_node.hpp"

namespace parity::reports {

/// Where the float64 evidence of a check comes from.
struct CheckEvidence {
  enum class Source { measured, stored };
  Source source = Source::measured;  ///< twins that ran now, or what the golden holds of them
  std::string date;                  ///< of stored evidence, as of all below: when its twins ran, ISO 8601
  std::string producer, commit, environment;

  bool stored() const { return source == Source::stored; }
};

/// Reads a check's `evidence`. \throws UserError for an unknown source, or stored evidence without a date
CheckEvidence read_check_evidence(const JsonNode& node);

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
