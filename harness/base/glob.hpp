// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace parity {

/// Whether `text` matches `pattern`: `*` any run of characters (also '.' and '/'), `?` one character.
/// Linear space, no backtracking blow-up.
bool glob_match(std::string_view pattern, std::string_view text);

}  // namespace parity
