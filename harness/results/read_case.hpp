// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/results/case.hpp"

namespace parity::results {

/// Reads and validates one case of results.json, of schema parity.results/2 or /1. Optional fields may be
/// missing, unknown ones are ignored.
///
/// \param path  path of the case in its file, for messages
/// \throws UserError (exit 2) that names the field (`cases[2].checks[0].verdict`) if one is missing or has
/// another type, or if the case contradicts itself (it passed with a check that failed)
Case read_case(const Json& json, const std::string& path = "case");

}  // namespace parity::results
