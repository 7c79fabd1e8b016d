// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/compare/checks/check.hpp"
#include "harness/compare/checks/twin_evidence.hpp"
#include "harness/compare/checks/verdict.hpp"
#include "harness/compare/judge.hpp"

namespace parity::golden {

/// The state of one arm that evidence is bound to.
struct ArmBinding {
  std::string arm;
  /// ArmEvidence::resolved, the digest of what determines the run, and names of younger rules for its twin.
  std::string resolved;
  /// Content digest of what the golden, or the variant of the arm's environment, stores of the arm. For an
  /// arm that the golden does not store: "channels DIGEST".
  std::string golden;
  /// Digest of every float32 value that the check judged (judged_digests).
  std::string judged;

  bool operator==(const ArmBinding&) const = default;
};

/// What evidence was measured from. The evidence is valid only while all members are equal.
struct EvidenceBinding {
  std::string check;  ///< check_digest
  std::vector<ArmBinding> arms;

  bool operator==(const EvidenceBinding&) const = default;
};

/// The float64 runs that evidence comes from.
struct EvidenceOrigin {
  /// When the older of the runs ended, UTC: "2026-11-23T10:00:00Z".
  std::string date;
  std::string producer;  ///< "parity 0.1.0"
  /// Commit of the trainer, or of the judging program if the trainer states none.
  std::string commit;
  std::string environment;        ///< "cpu_vendor AuthenticAMD, torch 2.11.0, ..."
  std::vector<std::string> runs;  ///< ids of the runs

  bool operator==(const EvidenceOrigin&) const = default;
};

/// What float64 twins showed for a check that passed. The golden stores it so that the twins need not run
/// again.
struct EvidenceRecord {
  std::string claim;  ///< "loss, grad_norm equivalent: a, b"; for people
  EvidenceBinding binding;
  compare::Verdict verdict = compare::Verdict::missing;  ///< verdict of the check when it was recorded
  /// log2 of the gap in float32 over the gap in float64, for the quantity where it is smallest.
  double collapse_log2 = 0;
  compare::TwinEvidence twins;
  EvidenceOrigin origin;

  bool operator==(const EvidenceRecord&) const = default;
};

/// Evidence that was just measured, before it is bound to a golden.
struct FreshEvidence {
  compare::Check check;
  compare::Verdict verdict = compare::Verdict::missing;
  double collapse_log2 = 0;
  compare::TwinEvidence twins;
  EvidenceOrigin origin;
};

/// Evidence for a recording of a golden.
struct EvidenceToKeep {
  std::vector<FreshEvidence> fresh;
  /// The case's arms that the golden does not store, as they ran now. Checks may use them too.
  std::map<std::string, compare::ArmEvidence> other_arms = {};
};

/// Version of the evidence format. Evidence of another version is ignored, and the twins run. Version 1 lacks
/// the arms' distances from their twins, without which no gap is known to be rounding.
inline constexpr int64_t evidence_version = 2;

/// Returns 32 hexadecimal digits over every field and the version. An edited number, date or binding gives
/// another digest.
std::string evidence_digest(const EvidenceRecord& record);

}  // namespace parity::golden
