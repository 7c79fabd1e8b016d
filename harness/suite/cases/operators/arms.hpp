// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/suite/cases/case.hpp"
#include "harness/suite/cases/read/toml_table.hpp"

namespace parity::suite {

/// The arm of an operator case that computes the exact results, where the case names any.
inline constexpr const char* exact_arm_name = "exact";

/// Reads an arm of an operator case: a Python callable, a LibTorch operator, or a C function. Its command is
/// one of parity's runners, and its config holds the problem and what to call.
/// \throws UserError with file, line and column
Arm read_operator_arm(const TomlTable& table, const std::string& name, const Place& place,
                      const operators::Problem& problem);

/// Adds the arm `exact` if the [operator] table names an exact reference: a formula of parity, or a Python
/// function over abstract numbers.
void add_exact_arm(Case& result, const TomlTable& table);

/// Returns the case with another problem for all of its arms, for searches.
Case with_problem(Case source, operators::Problem problem);

/// Reads the checks of an operator case. A check of several axes becomes one check for each.
void read_operator_checks(Case& result, const TomlTable& file, const std::vector<std::string>& arms);

}  // namespace parity::suite
