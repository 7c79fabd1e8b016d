// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/bisect/options/toggles.hpp"
#include "harness/suite/cases/case.hpp"

namespace parity {

/// The two sides of a search for options.
struct OptionSides {
  Case sides;           ///< two arms, the good one first; nothing to check, nothing stored
  std::string name;     ///< for files: "lr/warmup_index:one_indexed-zero_indexed"
  std::string subject;  ///< "lr/warmup_index: one_indexed (good) against zero_indexed (bad)"
  /// What runs the good side, to which settings are added: "parity run lr/warmup_index --set one_indexed:",
  /// or "parity-train good.toml --set ".
  std::string base_command, set_option;

  /// The command that runs the good side with these on. "" where one of them cannot be set.
  std::string command_with(const std::vector<OptionToggle>& toggles, const Toggles& on) const;
};

/// Reads the sides that words name.
///
/// \param good  CASE:ARM, or CASE (its reference arm), or a run config (TOML; JSON as a run folder's
///              config.json)
/// \param bad   likewise; a bare name is an arm of the good side's case; "" is that case's other arm
/// \param root  folder of the cases
/// \param settings  [ARM:]KEY=VALUE, for both sides unless they name one
/// \throws UserError for unknown cases and arms, sides that cannot share a config (commands that are not the
///         same, a command against parity-train), a config file that is none
OptionSides option_sides(const std::string& good, const std::string& bad, const std::filesystem::path& root,
                         const std::vector<std::string>& settings);

/// \throws UserError for config keys that the trainer does not know, naming the side that has them; if there
///         is no trainer (exit 3)
void require_known_keys(const OptionSides& sides, const std::filesystem::path& trainer);

}  // namespace parity
