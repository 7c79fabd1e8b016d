// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parity {

/// The known name with the smallest edit distance to `name`; empty if none is close enough to be what was
/// meant (a third of the longer name's length, at least 2 edits). Else the only one whose last part it is:
/// "max_norm" means "clip.max_norm".
std::string nearest(std::string_view name, const std::vector<std::string>& known);

/// " (did you mean 'X'?)" where a known name is near, then "; known: a, b, c" (at most 12, then a count).
std::string suggestion(std::string_view name, const std::vector<std::string>& known);

}  // namespace parity
