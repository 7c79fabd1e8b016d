// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/operators/problem/problem.hpp"
#include "harness/suite/cases/read/toml_table.hpp"

namespace parity::suite {

/// Reads the inputs and the sweep of an [operator] table. Its other keys are read by operator_arms.hpp.
/// \throws UserError with file, line and column; also if the inputs of a point do not fit into memory
operators::Problem read_problem(const TomlTable& table);

/// Returns the value of a key as JSON: a scalar, a list or a table.
Json json_of(const TomlTable& table, std::string_view key);

}  // namespace parity::suite
