// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/base/enum_names.hpp"
#include "harness/base/json/json.hpp"
#include "harness/compare/checks/check.hpp"
#include "harness/compare/judge.hpp"
#include "harness/compare/sides/floors.hpp"
#include "harness/golden/evidence_record.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::golden {

/// How a run uses goldens. Source: GROMACS's reference-data modes.
enum class GoldenMode {
  compare,         ///< compare; a missing golden fails
  create_missing,  ///< compare; record missing goldens
  /// Record goldens whose content differs; leave equal files untouched.
  update_changed,
  update_all,  ///< record everything
};

constexpr auto enum_names(GoldenMode) {
  return named<GoldenMode::update_all>("golden mode",
                                       {"compare", "create-missing", "update-changed", "update-all"});
}

/// How a suite treats drift: as a notice in its reports, or as a failure.
enum class DriftMode { notice, fail };

constexpr auto enum_names(DriftMode) {
  return named<DriftMode::fail>("drift mode", {"notice", "fail"});
}

/// A golden stores, for each arm, numeric channels, digests and sketches, but no whole tensors. It also
/// stores the channels of the arm's float64 twin if there is one, numeric config, and the environment's
/// fingerprint. There is one file per case (golden/<topic>/<name>.h5, schema in golden_file.hpp), and one
/// group per arm.

/// The attributes of a golden file.
struct GoldenOrigin {
  std::string case_name;
  std::string producer;  ///< "parity 0.1.0"
  std::string commit;
  std::string command;
};

/// What a recording does to a golden.
enum class Recording {
  unchanged,  ///< the file already holds these values
  /// The file holds these values; its evidence of float64 twins was renewed.
  evidence,
  first,  ///< there was no file
  /// The file holds these values, but of another config or without float64 twins.
  other_config,
  changed,  ///< the file held other values, or was damaged
};

/// Returns what recording these runs would do. \throws UserError if an arm has no complete trace
Recording recording_of(const std::filesystem::path& file,
                       const std::map<std::string, compare::ArmEvidence>& arms);

enum class Rewrite { when_changed, always };

/// Records arms in a golden, through a temporary file and a rename. A file that already holds these values
/// stays untouched, byte for byte, unless `rewrite` is `always` or there is new evidence. If values changed,
/// arms with unchanged values keep all that is stored of them, including config and environment. Floors stay.
/// Variants stay for arms with unchanged values.
/// \param reason    why values changed; added to the file's history, which is empty after a first recording
/// \param evidence  what float64 twins showed now (evidence_binding.hpp); needs no reason
/// \throws UserError if an arm has no complete trace
Recording record_golden(const std::filesystem::path& file, const GoldenOrigin& origin,
                        const std::map<std::string, compare::ArmEvidence>& arms,
                        const std::string& reason = "", Rewrite rewrite = Rewrite::when_changed,
                        const EvidenceToKeep& evidence = {});

/// Stores the arms' values of this environment as a variant, next to the golden's own. Runs on both kinds of
/// machine then agree with the file. A variant of the same environment is replaced.
/// \param arms  arms that drifted and whose golden is in the file
/// \throws UserError if the golden cannot be read, or an arm has no complete trace
void record_variant(const std::filesystem::path& file, const GoldenOrigin& origin,
                    const std::map<std::string, compare::ArmEvidence>& arms, const std::string& reason);

/// Stores what float64 twins showed now in a golden, whose values stay unchanged.
/// \param arms  every arm of the golden, as it ran now
/// \return whether the file changed
/// \throws UserError if the golden cannot be read or is damaged
bool record_evidence(const std::filesystem::path& file,
                     const std::map<std::string, compare::ArmEvidence>& arms, const EvidenceToKeep& evidence);

/// Replaces the floors of a golden file; creates one without arms if there is none.
/// \throws UserError if the file exists and is damaged
void record_floors(const std::filesystem::path& file, const GoldenOrigin& origin,
                   const compare::Floors& floors);

struct StoredGolden;

/// The result of comparing one quantity of an arm with the golden, or with the variant of its environment.
/// The relation is `identical`. If bits differ and the environment's fingerprint is not the golden's, the
/// float64 twins decide between `drift` and `different`. An arm missing on either side is a failure.
struct GoldenResult {
  std::string arm;
  std::string quantity;  ///< channel name, or "grad" / "param" for the stored digests of a phase
  compare::CheckResult result;
};
/// Compares each arm with the golden: one result for each stored arm and quantity.
/// \param claims  checks against the golden; they judge their own quantities
std::vector<GoldenResult> verify_golden(const StoredGolden& stored,
                                        const std::map<std::string, compare::ArmEvidence>& arms,
                                        const std::vector<compare::Check>& claims = {});

/// Returns whether verify_golden needs the twin of any of these arms: bits differ in another environment.
bool golden_needs_twins(const StoredGolden& stored, const std::map<std::string, compare::ArmEvidence>& arms,
                        const std::vector<compare::Check>& claims = {});

struct Golden;

/// Returns whether an arm that ran now equals, bit for bit, all that the golden (or the variant of its
/// environment) stores of it. False for an arm that did not finish, had a fault injected, or is not stored.
bool agrees_with_golden(const Golden& golden, const std::string& name, const compare::ArmEvidence& arm);

/// Judges a check of one arm against what is stored of it (relation `bounded`).
compare::CheckResult judge_against_golden(const compare::Check& check, const StoredGolden& stored,
                                          const compare::ArmEvidence& run);

}  // namespace parity::golden
