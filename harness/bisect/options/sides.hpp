// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/bisect/options/toggles.hpp"
#include "harness/suite/cases/case.hpp"

namespace parity::bisect {

/// What a search does with its two sides.
enum class SideUse {
  rerun,        ///< runs each again; they may be different programs
  switch_keys,  ///< runs one program with keys of both
};

/// The two sides of a search, for options or for the point of divergence.
struct OptionSides {
  suite::Case sides;    ///< two arms, the good one first; without checks and golden
  std::string name;     ///< for files: "lr/warmup_index:one_indexed-zero_indexed"
  std::string subject;  ///< "lr/warmup_index: one_indexed (good) against zero_indexed (bad)"
  /// The command that runs the good side, without its settings: "parity run lr/warmup_index --set
  /// one_indexed:", or "parity-train good.toml --set ".
  std::string base_command, set_option;

  /// Returns the command that runs the good side with these options on; "" if one of them cannot be set.
  std::string command_with(const std::vector<OptionToggle>& toggles, const Toggles& on) const;
};

/// Reads the two sides of a search from arguments of the command line.
///
/// \param good  CASE:ARM, or CASE (its reference arm), or a run config (TOML; JSON as a run folder's
///              config.json)
/// \param bad   as `good`; a bare name is an arm of the good side's case; "" is that case's other arm
/// \param root  folder of the cases
/// \param settings  [ARM:]KEY=VALUE, for both sides unless they name one
/// \throws UserError for unknown cases and arms, an arm that reads another's trace, an invalid config file;
/// to
///         switch keys also for sides that cannot share a config (different commands, or a command and
///         parity-train)
OptionSides option_sides(const std::string& good, const std::string& bad, const std::filesystem::path& root,
                         const std::vector<std::string>& settings, SideUse use = SideUse::switch_keys);

/// Requires that the trainer knows the config keys of both sides.
/// \throws UserError for unknown config keys, naming their side; if there is no trainer (exit 3)
void require_known_keys(const OptionSides& sides, const std::filesystem::path& trainer);

}  // namespace parity::bisect
