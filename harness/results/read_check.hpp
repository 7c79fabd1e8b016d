// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/results/check.hpp"
#include "harness/results/json_node.hpp"

namespace parity::results {

/// Reads one entry of a case's `checks`, of schema parity.results/2 or /1. A check of /1 has `worst`,
/// `command` and `cause` in place of `finding`.
/// \throws UserError (exit 2) that names the field if one is missing or has another type
Check read_check(const JsonNode& node);

/// Reads the `verdict` of a case or check.
/// \throws UserError (exit 2) for an unknown verdict
std::string read_verdict(const JsonNode& parent);

}  // namespace parity::results
