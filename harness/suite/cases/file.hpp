// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "harness/suite/cases/case.hpp"

namespace parity {

/// Reads a case (TOML; the form is in DESIGN.md, "A case file").
///
/// Config keys are not checked here: the trainer's schema decides about them when the case is planned.
///
/// \throws UserError "FILE:LINE:COLUMN: problem; what is known" for unknown keys, arms, relations, phases and
///         windows, values of a wrong type, and TOML that does not parse
Case read_case(const std::filesystem::path& file);

/// The same from text; `file` names it in messages.
Case parse_case(std::string_view text, const std::filesystem::path& file);

}  // namespace parity
