// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/compare/sides/floors.hpp"
#include "harness/golden/content.hpp"
#include "harness/golden/evidence_group.hpp"
#include "harness/golden/golden.hpp"
#include "harness/golden/history.hpp"

namespace parity::golden {

/// Schema version of the goldens that this program writes. Readers accept every minor version of their major
/// version.
inline constexpr std::string_view golden_schema = "parity.golden/1.4";
inline constexpr std::string_view golden_schema_major = "parity.golden/1.";

/// The content of a golden file (schema parity.golden/1.4):
///
///     /                             attributes schema, case, producer, commit, command, history (JSON),
///                                   content (digest of what is under arms)
///     /arms/<arm>                   attributes config, fingerprint (JSON), and given (JSON, 1.4): config
///     keys
///                                   that parity gave a command and that config lacks, if there are any
///     /arms/<arm>/steps             int64[n]
///     /arms/<arm>/channels/<name>   float64[n] or int64[n]
///     /arms/<arm>/sketches          columns as in a trace (harness/trace/FORMAT.md)
///     /arms/<arm>/twin              steps and channels of the float64 twin
///     /variants/<n>/<arm>           as under arms, without twin: the arm in another environment (1.2)
///     /floors                       attribute evidence (JSON): kinds, command, environment, growth (1.2)
///     /floors/quantities            string[q]: "loss", "grad layers.0.wq.weight"
///     /floors/arms/<arm>            attribute config (JSON), of the arm as it was measured
///     /floors/arms/<arm>/quantity   int64[n], a row's number in quantities; step int64[n]; scale float64[n],
///                                   the size of the quantity there; noise float64[n, kinds], NaN where a
///                                   kind was not measured
///     /evidence                     attribute version; what float64 twins showed (1.3)
///     /evidence/records             string[1], a line per check: a JSON object (evidence_record.hpp) with
///                                   claim, check and arms (what it is bound to), verdict, collapse_log2,
///                                   twins (columns quantity, gap64, norm64, floor, distance_a and
///                                   distance_b from version 2 on, noise by step, estimated), other_path,
///                                   date, producer, commit, environment, runs, and digest, over all the
///                                   others. Evidence of another version is ignored: the twins run
///     /seal                         uint8[16], see seal.hpp
///
/// Floors, variants, evidence and given keys are not content: they are outside the content digest and inside
/// the seal. A file may hold floors alone. Files of version 1.0 have no seal, and hold nothing that came
/// later (unsealed.hpp).
struct Golden {
  GoldenOrigin origin;
  std::string stored_digest;  ///< as stated in the file
  GoldenContent arms;
  GoldenHistory history;
  /// Values of arms in other environments, where drift was accepted.
  std::vector<GoldenContent> variants;
  compare::Floors floors;   ///< measured rounding noise
  GoldenEvidence evidence;  ///< what float64 twins showed for the case's checks
  /// Whether a seal covers every byte. False for an intact file of version 1.0.
  bool sealed = true;
  /// What is wrong with the seal or its absence; "" if it matches, or the file is of version 1.0.
  std::string seal_problem = {};

  bool content_intact() const { return content_digest(arms) == stored_digest; }
  bool intact() const { return seal_problem.empty() && evidence.problem.empty() && content_intact(); }
  /// Returns what a run of this arm is compared with: the variant of its environment, else the golden itself.
  const GoldenArm& side_for(const std::string& arm, const Json& environment) const;
};

/// Returns what is wrong with a golden that is not intact, and what to do.
std::string damage_text(const Golden& golden, const std::filesystem::path& file);

/// Reads a golden.
/// \throws UserError if the file is missing (exit 3), damaged, not a golden, or of another major schema; also
///         for a symbolic link, since an untrusted repository could otherwise choose what is read
Golden read_golden(const std::filesystem::path& file);

/// Reads a golden that is intact. \throws UserError as read_golden, and if it is not intact
Golden read_intact_golden(const std::filesystem::path& file);

/// A golden file, as far as it can be trusted. A case is judged by one reading of it. If the file is damaged,
/// `golden` is not set: neither values, nor floors, nor evidence are used.
struct StoredGolden {
  std::filesystem::path file;
  std::optional<Golden> golden;
  std::string problem;  ///< why `golden` is not set
  /// Content of a damaged file that can still be read; used to state where runs differ from it.
  std::optional<Golden> damaged = {};
};

/// Reads a golden like read_intact_golden; an error becomes the `problem`.
StoredGolden stored_golden(const std::filesystem::path& file);

/// Writes a golden through a temporary file, which is read again, and a rename. Equal goldens give equal
/// bytes. The content digest is computed here.
void write_golden(const std::filesystem::path& file, const Golden& golden);

/// Returns the names of the arms of a golden whose seal matches, so that nothing else needs to be read.
/// Returns nothing if there is no seal, it does not match, or the file has another schema.
std::optional<std::vector<std::string>> arms_under_seal(const std::filesystem::path& path);

/// Returns whether the file is intact and no arm was recorded in it.
bool holds_floors_alone(const std::filesystem::path& path);

}  // namespace parity::golden
