// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

namespace parity::cli {

/// Returns the manual page of the program in the man macros: every subcommand with its options and examples,
/// as
/// --help shows them.
std::string man_page(const CLI::App& app, std::string_view version);

/// The subcommand that an installation calls: `parity __man` prints the manual page.
inline constexpr const char* man_verb = "__man";

}  // namespace parity::cli
