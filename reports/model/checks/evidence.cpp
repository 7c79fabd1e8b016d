// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/model/checks/evidence.hpp"

#include <fmt/format.h>

#include "harness/base/text/escape_for_terminal.hpp"

namespace parity::reports {
namespace {

/// Returns "2026-11-23" for "2026-11-23T10:00:00Z".
std::string day(const std::string& date) {
  return escape_to_line(date.substr(0, date.find('T')));
}

}  // namespace

std::string evidence_label(const std::optional<CheckEvidence>& evidence) {
  if (!evidence || !evidence->stored())
    return "";
  std::string by = escape_to_line(evidence->producer);
  if (!evidence->commit.empty())
    by += (by.empty() ? "" : ", ") + ("commit " + escape_to_line(evidence->commit));
  return fmt::format("evidence of {}{}, bits unchanged since", day(evidence->date),
                     by.empty() ? "" : " (" + by + ")");
}

void EvidenceShare::add(const std::optional<CheckEvidence>& evidence) {
  if (!evidence)
    return;
  add(EvidenceShare{1, evidence->stored() ? size_t{1} : 0, *evidence});
}

void EvidenceShare::add(const EvidenceShare& other) {
  if (other.stored > 0 && (stored == 0 || other.oldest.date < oldest.date))
    oldest = other.oldest;
  on_twins += other.on_twins;
  stored += other.stored;
}

std::string EvidenceShare::label() const {
  if (on_twins == 0)
    return "";
  return fmt::format("{} of {} float64 check{} on stored evidence{}", stored, on_twins,
                     on_twins == 1 ? "" : "s", stored == 0 ? "" : ", the oldest of " + day(oldest.date));
}

}  // namespace parity::reports
