// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "reports/model/json_node.hpp"

namespace parity::reports {

/// The origin of a check's float64 evidence.
struct CheckEvidence {
  enum class Source { measured, stored };
  Source source = Source::measured;  ///< twins that ran now, or stored evidence in the golden
  std::string date;                  ///< of stored evidence, like all below: when its twins ran, ISO 8601
  std::string producer, commit, environment;

  bool stored() const { return source == Source::stored; }
};

/// Reads a check's `evidence`. \throws UserError for an unknown source, or stored evidence without a date
CheckEvidence read_check_evidence(const JsonNode& node);

/// Returns "evidence of 2026-11-23 (parity 0.1.0, commit abc), bits unchanged since"; "" if twins ran or none
/// were needed.
std::string evidence_label(const std::optional<CheckEvidence>& evidence);

/// Counts the checks of a case, or of a suite, that rest on stored evidence.
struct EvidenceShare {
  size_t on_twins = 0;   ///< checks that need float64 evidence
  size_t stored = 0;     ///< of these, on stored evidence
  CheckEvidence oldest;  ///< of the stored ones

  void add(const std::optional<CheckEvidence>& evidence);
  void add(const EvidenceShare& other);
  /// Returns "31 of 34 float64 checks on stored evidence, the oldest of 2026-11-23"; "" if no check needs
  /// any.
  std::string label() const;
};

}  // namespace parity::reports
