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
#include "harness/compare/judge.hpp"
#include "harness/trace/trace.hpp"

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

/// What a golden keeps of one arm: numeric channels, digests and sketches (no whole tensors), the channels of
/// its float64 twin where there is one, numeric config, and the environment's fingerprint. One file a case
/// (golden/<topic>/<name>.h5, schema parity.golden/1.0), one group an arm.

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
  first,         ///< there was no file
  other_config,  ///< the file holds these values, of another config (or without float64 twins)
  changed,       ///< the file held other values, or was damaged
};

/// What recording these runs would do. \throws UserError if an arm has no complete trace
Recording recording_of(const std::filesystem::path& file, const std::map<std::string, ArmEvidence>& arms);

enum class Rewrite { when_changed, always };

/// Writes through a temporary file and a rename. A file that holds these values already stays untouched, byte
/// for byte, unless it is to be rewritten always.
/// \param reason  why values changed; goes into the file's history, which a first recording begins empty
/// \throws UserError if an arm has no complete trace
Recording record_golden(const std::filesystem::path& file, const GoldenOrigin& origin,
                        const std::map<std::string, ArmEvidence>& arms, const std::string& reason = "",
                        Rewrite rewrite = Rewrite::when_changed);

struct StoredGolden;

/// Compares each arm with the golden: one result for each stored arm and quantity group ("channels",
/// "sketches"), relation identical. Where bits differ and the environment's fingerprint is another than the
/// golden's, the float64 twins decide between `drift` and `different`. An arm missing on either side is a
/// failure.
struct GoldenResult {
  std::string arm;
  std::string quantity;  ///< channel name, or "grad" / "param" for the stored digests of a phase
  CheckResult result;
};
std::vector<GoldenResult> verify_golden(const StoredGolden& stored,
                                        const std::map<std::string, ArmEvidence>& arms);

/// Whether verify_golden would need the twin of any of these arms: bits differ in another environment.
bool golden_needs_twins(const StoredGolden& stored, const std::map<std::string, ArmEvidence>& arms);

}  // namespace parity
