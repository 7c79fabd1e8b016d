// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/suite/cases/case.hpp"
#include "harness/suite/cases/read/toml_table.hpp"

namespace parity::suite {

/// Returns how the ranks of an arm start, by the keys of its table.
/// \throws UserError with the place in the file, as set_launch_key() and check_launch()
Launch read_launch(const TomlTable& table, const Arm& arm);

}  // namespace parity::suite
