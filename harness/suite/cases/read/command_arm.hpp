// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/suite/cases/case.hpp"
#include "harness/suite/cases/read/toml_table.hpp"

namespace parity::suite {

/// The keys of an arm that are not config keys.
const std::vector<std::string>& arm_keys();

/// Checks an arm with a command: its words, their placeholders, and keys that resemble those of a command
/// arm. Other keys belong to the program, which finds them in PARITY_CONFIG.
/// \throws UserError with the place in the file
void check_command_arm(const TomlTable& table, const Arm& arm);

/// Checks that no key which belongs to an arm is in the base config.
/// \throws UserError with the place in the file
void check_base(const TomlTable& base);

}  // namespace parity::suite
