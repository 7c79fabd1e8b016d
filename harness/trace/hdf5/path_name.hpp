// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace parity::trace {

/// Returns a logical name as one link name: `/`, `%` and control characters become %XX (upper-case
/// hexadecimal).
/// \throws UserError for an empty name, "." and ".."
std::string encode_name(std::string_view name);

/// Returns the logical name of a link name. \throws UserError for a `%` without two hexadecimal digits
std::string decode_name(std::string_view link);

}  // namespace parity::trace
