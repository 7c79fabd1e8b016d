// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/model/case.hpp"

namespace parity::reports {

/// Reads and validates one case of results.json. Optional fields may be missing, unknown ones are ignored.
///
/// \param path  its place in the file, for messages
/// \throws UserError (exit 2) if it lacks a required field or has one of another type (the message names it,
/// as in cases[2].checks[0].verdict), or contradicts itself (a case that passed with a check that failed)
Case read_case(const Json& json, const std::string& path = "case");

}  // namespace parity::reports
