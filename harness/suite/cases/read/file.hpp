// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "harness/suite/cases/case.hpp"

namespace parity::suite {

/// Reads a case from a TOML file (format: cases/README.md).
///
/// Does not check config keys: Plan::add checks them against the trainer's schema.
///
/// \throws UserError "FILE:LINE:COLUMN: problem; known names" for unknown keys, arms, relations, phases and
///         windows, for values of a wrong type, and for invalid TOML
Case read_case(const std::filesystem::path& file);

/// Parses the text of a case file, as read_case().
/// \param file  name for messages
Case parse_case(std::string_view text, const std::filesystem::path& file);

}  // namespace parity::suite
