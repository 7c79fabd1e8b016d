// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/suite/cases/case.hpp"

namespace parity::suite {

/// A config key changed for one run of the suite: `--set [ARM:]KEY=VALUE`.
struct Setting {
  std::string text;  ///< as given on the command line
  std::string arm;   ///< empty: every arm
  std::string key;
  Json value;
};

/// Parses a setting. Reads the value as in a case file (3, 1e-3, true, ["a", "b"]); any other text is a
/// string without quotes.
/// \throws UserError if the key or '=' is missing
Setting parse_setting(const std::string& text);

/// Applies settings to every case that has the arm.
///
/// A changed case asks another question than its file, so its settings are recorded in Case::settings and it
/// has no golden.
/// \throws UserError if no case has a named arm
void apply_settings(std::vector<Case>& cases, const std::vector<std::string>& settings);

}  // namespace parity::suite
