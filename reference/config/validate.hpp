// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/config/run_config.hpp"

namespace parity::reference {

/// Checks that a config can be run. No other function decides this.
/// \throws UserError naming key, value, cause and remedy
void validate(const RunConfig& config);

}  // namespace parity::reference
