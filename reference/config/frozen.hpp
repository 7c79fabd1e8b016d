// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reference/config/run_config.hpp"

namespace parity::reference {

/// Returns whether a parameter, given by name, trains: with adapters, only theirs do; and none that a pattern
/// of train.freeze matches.
bool is_trained(const RunConfig& config, const std::string& parameter);

/// Checks that every pattern of train.freeze matches a parameter, and that one remains that trains.
/// \param parameters  the names of all parameters of the model
/// \throws UserError with the nearest name otherwise
void check_freeze(const RunConfig& config, const std::vector<std::string>& parameters);

}  // namespace parity::reference
