// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/config/run_config.hpp"

namespace parity::reference {

/// The one place that says which configs can be run.
/// \throws UserError naming key, value, why it cannot be, and what to do
void validate(const RunConfig& config);

}  // namespace parity::reference
