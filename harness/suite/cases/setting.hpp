// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/base/json.hpp"
#include "harness/suite/cases/case.hpp"

namespace parity {

/// A config key changed for one run of the suite: `--set [ARM:]KEY=VALUE`.
struct Setting {
  std::string text;  ///< as it was given
  std::string arm;   ///< empty: every arm
  std::string key;
  Json value;
};

/// The value is read as in a case file (3, 1e-3, true, ["a", "b"]); what is none of that is text without
/// quotes. \throws UserError if there is no key or no '='
Setting parse_setting(const std::string& text);

/// Applies settings to every case that has the arm. A case that was changed asks another question than its
/// file: it says so (Case::settings), and keeps no golden.
/// \throws UserError if an arm is in none of the cases
void apply_settings(std::vector<Case>& cases, const std::vector<std::string>& settings);

}  // namespace parity
