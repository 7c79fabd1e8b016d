// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/compare/check.hpp"
#include "harness/suite/cases/toml_table.hpp"

namespace parity {

/// One [[checks]] table of a case.
/// \param arms  the case's arms, the reference first; two of them are what a check without `arms` is about
/// \throws UserError with file, line and column
Check read_check(const TomlTable& table, const std::vector<std::string>& arms);

/// \throws UserError at `key` if a name of `used` is not among `known`
void require_arms(const TomlTable& table, std::string_view key, const std::vector<std::string>& used,
                  const std::vector<std::string>& known);

}  // namespace parity
