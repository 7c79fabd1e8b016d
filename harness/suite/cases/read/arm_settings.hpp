// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/suite/cases/case.hpp"
#include "harness/suite/cases/flat_config.hpp"

namespace parity::suite {

/// All that distinguishes an arm from another of its program: config keys, variables as "environment.NAME",
/// another parity-train as "program", and the keys of its launch.

/// Returns a config with the arm's variables, program and launch.
FlatConfig with_surroundings(FlatConfig config, const Arm& arm);

/// Sets a config key of an arm, or its variable, program or launch.
/// \throws UserError as check_variable; for a program that is not there, or an arm with a command
void set_key(Arm& arm, const std::string& key, const PlacedValue& value);

/// Removes a config key of an arm, or its variable, program or part of its launch.
void erase_key(Arm& arm, const std::string& key);

/// Checks a variable that an arm sets.
/// \throws UserError if it cannot be a variable, or if parity sets it itself
void check_variable(const std::string& name, const std::string& value);

}  // namespace parity::suite
