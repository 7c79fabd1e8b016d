// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/compare/checks/check.hpp"
#include "harness/suite/cases/read/toml_table.hpp"

namespace parity::suite {

/// Reads one [[checks]] table of a case.
/// \param arms  the case's arms, the reference first. If there are two, a check without `arms` compares them.
/// \throws UserError with file, line and column
compare::Check read_check(const TomlTable& table, const std::vector<std::string>& arms);

/// Reads one [[checks]] table as checks: one, and for relation `repeats` one more for each condition in
/// `under`.
/// \throws UserError as read_check
std::vector<compare::Check> read_checks(const TomlTable& table, const std::vector<std::string>& arms);

/// Requires that every arm named in `used` is in `known`.
/// \throws UserError at `key` otherwise
void require_arms(const TomlTable& table, std::string_view key, const std::vector<std::string>& used,
                  const std::vector<std::string>& known);

}  // namespace parity::suite
