// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace parity {

/// Returns whether `text` matches `pattern`: `*` matches any run of characters (also '.' and '/'), `?` one
/// character. Linear space, no exponential backtracking.
bool glob_match(std::string_view pattern, std::string_view text);

}  // namespace parity
