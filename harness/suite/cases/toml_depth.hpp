// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace parity {

/// Most parts that a dotted key of a case file may have.
inline constexpr size_t longest_dotted_key = 16;

/// The most parts of any dotted key (a.b.c has 3), outside strings and comments. A parser makes a table of
/// each part and takes tables apart by recursion, so a line of dots could end the program: look first.
size_t most_key_parts(std::string_view toml);

}  // namespace parity
