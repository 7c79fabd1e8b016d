// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/base/enum_names.hpp"
#include "harness/base/json.hpp"
#include "harness/compare/check.hpp"
#include "harness/compare/floors.hpp"
#include "harness/compare/judge.hpp"
#include "harness/golden/evidence_record.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity {

/// What to do with goldens in a run. Source: GROMACS's reference-data modes.
enum class GoldenMode {
  compare,         ///< compare; a missing golden fails
  create_missing,  ///< compare; record what has none
  update_changed,  ///< record where the content differs; leave equal files untouched
  update_all,      ///< record everything
};

template <>
struct EnumNames<GoldenMode> {
  static constexpr std::string_view what = "golden mode";
  static constexpr std::array<std::string_view, 4> names = {"compare", "create-missing", "update-changed",
                                                            "update-all"};
};

/// What drift is to a suite: a notice in its reports, or a failure.
enum class DriftMode { notice, fail };

template <>
struct EnumNames<DriftMode> {
  static constexpr std::string_view what = "drift mode";
  static constexpr std::array<std::string_view, 2> names = {"notice", "fail"};
};

/// What a golden keeps of one arm: numeric channels, digests and sketches (no whole tensors), the channels of
/// its float64 twin where there is one, numeric config, and the environment's fingerprint. One file a case
/// (golden/<topic>/<name>.h5, schema in golden_file.hpp), one group an arm.

/// What stands above the arms in the file.
struct GoldenOrigin {
  std::string case_name;
  std::string producer;  ///< "parity 0.1.0"
  std::string commit;
  std::string command;
};

/// What recording does to a golden.
enum class Recording {
  unchanged,     ///< the file holds these values already
  evidence,      ///< the file holds these values; its evidence of float64 twins was renewed
  first,         ///< there was no file
  other_config,  ///< the file holds these values, of another config (or without float64 twins)
  changed,       ///< the file held other values, or was damaged
};

/// What recording these runs would do. \throws UserError if an arm has no complete trace
Recording recording_of(const std::filesystem::path& file, const std::map<std::string, ArmEvidence>& arms);

enum class Rewrite { when_changed, always };

/// Writes through a temporary file and a rename. A file that holds these values already stays untouched, byte
/// for byte, unless it is to be rewritten always or gets new evidence. Where values changed, arms that hold
/// theirs keep what is stored of them, config and environment too; floors stay; variants stay of arms that
/// hold their values.
/// \param reason    why values changed; goes into the file's history, which a first recording begins empty
/// \param evidence  what float64 twins showed now (evidence_binding.hpp); needs no reason
/// \throws UserError if an arm has no complete trace
Recording record_golden(const std::filesystem::path& file, const GoldenOrigin& origin,
                        const std::map<std::string, ArmEvidence>& arms, const std::string& reason = "",
                        Rewrite rewrite = Rewrite::when_changed, const EvidenceToKeep& evidence = {});

/// Keeps what these arms gave here beside what is stored of them, for machines of both kinds. A variant of
/// the same environment is replaced.
/// \param arms  those that drifted, whose golden is in the file
/// \throws UserError if the golden cannot be read, or an arm has no complete trace
void record_variant(const std::filesystem::path& file, const GoldenOrigin& origin,
                    const std::map<std::string, ArmEvidence>& arms, const std::string& reason);

/// Keeps what float64 twins showed now beside what a golden holds; the values stay as they are.
/// \param arms  every arm of the golden, as it ran now
/// \return whether the file changed
/// \throws UserError if the golden cannot be read or is not as it was written
bool record_evidence(const std::filesystem::path& file, const std::map<std::string, ArmEvidence>& arms,
                     const EvidenceToKeep& evidence);

/// Puts floors in place of those that a golden file has; makes one without arms where there is none.
/// \throws UserError if the file is there and not as it was written
void record_floors(const std::filesystem::path& file, const GoldenOrigin& origin, const Floors& floors);

struct StoredGolden;

/// Compares each arm with the golden, or with the variant of its environment: one result for each stored arm
/// and quantity group ("channels", "sketches"), relation identical. Where bits differ and the environment's
/// fingerprint is another than the golden's, the float64 twins decide between `drift` and `different`. An arm
/// missing on either side is a failure.
struct GoldenResult {
  std::string arm;
  std::string quantity;  ///< channel name, or "grad" / "param" for the stored digests of a phase
  CheckResult result;
};
/// \param claims  checks against the golden: what they are about is theirs to judge
std::vector<GoldenResult> verify_golden(const StoredGolden& stored,
                                        const std::map<std::string, ArmEvidence>& arms,
                                        const std::vector<Check>& claims = {});

/// Whether verify_golden would need the twin of any of these arms: bits differ in another environment.
bool golden_needs_twins(const StoredGolden& stored, const std::map<std::string, ArmEvidence>& arms,
                        const std::vector<Check>& claims = {});

struct Golden;

/// Whether an arm that ran now is, bit for bit, all that the golden (or the variant of its environment)
/// stores of it. False for an arm that did not finish, had a fault put into it, or of which nothing is
/// stored.
bool agrees_with_golden(const Golden& golden, const std::string& name, const ArmEvidence& arm);

/// A check of one arm against what is stored of it (relation bounded).
CheckResult judge_against_golden(const Check& check, const StoredGolden& stored, const ArmEvidence& run);

}  // namespace parity
