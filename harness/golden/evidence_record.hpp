// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/compare/check.hpp"
#include "harness/compare/judge.hpp"
#include "harness/compare/twin_evidence.hpp"
#include "harness/compare/verdict.hpp"

namespace parity {

/// One arm of a check, as evidence is bound to it.
struct ArmBinding {
  std::string arm;
  std::string resolved;  ///< digest of what resolves its run: ArmEvidence::resolved
  /// Content digest of what its golden holds, or the variant of its environment; "channels DIGEST" of an arm
  /// that the golden does not keep.
  std::string golden;
  std::string judged;  ///< digest of every float32 value that the check judged (judged_digests)

  bool operator==(const ArmBinding&) const = default;
};

/// What evidence was measured of. It stands only while all of this is equal.
struct EvidenceBinding {
  std::string check;  ///< check_digest
  std::vector<ArmBinding> arms;

  bool operator==(const EvidenceBinding&) const = default;
};

/// The runs of the float64 twins that gave evidence.
struct EvidenceOrigin {
  std::string date;         ///< when the older of them ended, UTC: "2026-11-23T10:00:00Z"
  std::string producer;     ///< "parity 0.1.0"
  std::string commit;       ///< of the trainer, or of the program that judged where the trainer names none
  std::string environment;  ///< "cpu_vendor AuthenticAMD, torch 2.11.0, ..."
  std::vector<std::string> runs;  ///< their ids

  bool operator==(const EvidenceOrigin&) const = default;
};

/// What float64 twins showed of one check that held, kept in the golden so that they need not run again.
struct EvidenceRecord {
  std::string claim;  ///< "loss, grad_norm equivalent: a, b"; for people
  EvidenceBinding binding;
  Verdict verdict = Verdict::missing;  ///< of the check when it was recorded
  double collapse_log2 = 0;  ///< log2 of the gap in float32 over the gap in float64, where it is least
  TwinEvidence twins;
  EvidenceOrigin origin;

  bool operator==(const EvidenceRecord&) const = default;
};

/// Evidence that was measured now, before it is bound to a golden.
struct FreshEvidence {
  Check check;
  Verdict verdict = Verdict::missing;
  double collapse_log2 = 0;
  TwinEvidence twins;
  EvidenceOrigin origin;
};

/// What a recording is given for the golden's evidence.
struct EvidenceToKeep {
  std::vector<FreshEvidence> fresh;
  /// Arms of the case that the golden does not keep, as they ran now: checks may be about them too.
  std::map<std::string, ArmEvidence> other_arms = {};
};

/// The form that evidence is written in; of another one nothing is read, and the twins run. Version 1 lacks
/// the arms' distances from their twins, without which no gap is known to be rounding.
inline constexpr int64_t evidence_version = 2;

/// 32 hexadecimal digits over every field and the version: an edited number, date or binding gives another.
std::string evidence_digest(const EvidenceRecord& record);

}  // namespace parity
