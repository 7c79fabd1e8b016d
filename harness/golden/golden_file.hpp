// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/compare/floors.hpp"
#include "harness/golden/content.hpp"
#include "harness/golden/evidence_group.hpp"
#include "harness/golden/golden.hpp"
#include "harness/golden/history.hpp"

namespace parity {

/// What goldens are written in; readers take any minor version of their major one.
inline constexpr std::string_view golden_schema = "parity.golden/1.3";
inline constexpr std::string_view golden_schema_major = "parity.golden/1.";

/// A golden as a file holds it (schema parity.golden/1.3):
///
///     /                             attributes schema, case, producer, commit, command, history (JSON),
///                                   content (digest of what is under arms)
///     /arms/<arm>                   attributes config, fingerprint (JSON)
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
///     /evidence/records             string[1], a line a check: a JSON object (evidence_record.hpp) with
///                                   claim, check and arms (what it is bound to), verdict, collapse_log2,
///                                   twins (columns quantity, gap64, norm64, floor, distance_a and
///                                   distance_b from version 2 on, noise by step, estimated), other_path,
///                                   date, producer, commit, environment, runs, and digest, over all the
///                                   others. Evidence of another version does not stand: the twins run
///     /seal                         uint8[16], see seal.hpp
///
/// Floors, variants and evidence are no content: they lie outside the content digest and inside the seal. A
/// file may hold floors alone. Files of 1.0 have no history and no seal.
struct Golden {
  GoldenOrigin origin;
  std::string stored_digest;  ///< as the file says
  GoldenContent arms;
  GoldenHistory history;
  std::vector<GoldenContent> variants;  ///< what arms gave in other environments, where drift was accepted
  Floors floors;                        ///< measured rounding noise
  GoldenEvidence evidence;              ///< what float64 twins showed of the case's checks
  bool sealed = true;                   ///< the seal holds, or the file is of 1.0

  bool content_intact() const { return content_digest(arms) == stored_digest; }
  bool intact() const { return sealed && evidence.problem.empty() && content_intact(); }
  /// What to hold a run of this arm against: the variant of its environment, else the golden itself.
  const GoldenArm& side_for(const std::string& arm, const Json& environment) const;
};

/// What is wrong with a golden that is not intact, and what to do.
std::string damage_text(const Golden& golden, const std::filesystem::path& file);

/// \throws UserError if the file is missing (exit 3), damaged, foreign, of another major schema, or a
/// symbolic link: a repository of a stranger would choose what is read
Golden read_golden(const std::filesystem::path& file);

/// As read_golden, of a golden that is as it was recorded. \throws UserError also if it is not
Golden read_intact_golden(const std::filesystem::path& file);

/// A golden file as far as it can be trusted. A case is judged by one reading of it. Of a file that is not as
/// it was recorded nothing is `golden`: neither values, nor floors, nor evidence.
struct StoredGolden {
  std::filesystem::path file;
  std::optional<Golden> golden;
  std::string problem;  ///< why there is none
  /// What a file holds that can be read and is not what was recorded: to say where runs differ from it.
  std::optional<Golden> damaged = {};
};

/// As read_intact_golden; what that throws is the problem.
StoredGolden stored_golden(const std::filesystem::path& file);

/// Through a temporary file, which is read again, and a rename; equal goldens give equal bytes. The content
/// digest is computed here.
void write_golden(const std::filesystem::path& file, const Golden& golden);

/// Names of the arms of a golden whose seal holds: what was written, so that nothing else needs to be read.
/// Nothing where there is no seal, it does not hold, or the file is of another schema.
std::optional<std::vector<std::string>> arms_under_seal(const std::filesystem::path& path);

/// Whether the file is as it was written, and no arm was recorded in it.
bool holds_floors_alone(const std::filesystem::path& path);

}  // namespace parity
