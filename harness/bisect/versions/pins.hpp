// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

namespace parity::bisect {

/// Packages of Python with exact versions, by normalized name: {"torch": "2.11.0"}.
using Pins = std::map<std::string, std::string>;

/// Returns a name as package indexes compare it (PEP 503): "my_Package" is "my-package".
std::string normalized_name(const std::string& name);

/// Parses one side of a search: "torch==2.11.0 numpy==2.1.0", or the path of a file with such lines. Empty
/// lines, comments and options of pip ("--index-url ...") in a file are ignored.
/// \throws UserError for a requirement that is not NAME==VERSION, or for none at all
Pins parse_pins(const std::string& side);

/// Returns "numpy==2.1.0 torch==2.11.0".
std::string text_of(const Pins& pins);

/// Returns the packages whose versions differ, or that only one side names, in order of their names.
std::vector<std::string> changed_packages(const Pins& good, const Pins& bad);

}  // namespace parity::bisect
