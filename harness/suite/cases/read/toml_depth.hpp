// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace parity::suite {

/// Largest number of parts of a dotted key in a case file.
inline constexpr size_t longest_dotted_key = 16;

/// Returns the largest number of parts of a dotted key (a.b.c has 3), outside strings and comments.
///
/// A TOML parser makes a table of each part and destroys tables by recursion. A long line of dots could
/// overflow the stack, so call this before parsing.
size_t most_key_parts(std::string_view toml);

}  // namespace parity::suite
