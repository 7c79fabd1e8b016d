// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace parity {

/// A logical name as one link name: `/`, `%` and control characters become %XX (upper-case hexadecimal).
/// \throws UserError for an empty name, "." and ".."
std::string encode_name(std::string_view name);

/// The inverse. \throws UserError for a `%` without two hexadecimal digits
std::string decode_name(std::string_view link);

}  // namespace parity
