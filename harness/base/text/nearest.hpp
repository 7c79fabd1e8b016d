// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parity {

/// Returns the known name with the smallest edit distance to `name`. At most a third of the longer name's
/// length, or 2 edits if that is more, counts as near. Otherwise returns the only known name that ends in
/// `name`: "clip.max_norm" for "max_norm". Returns "" if no name qualifies.
std::string nearest(std::string_view name, const std::vector<std::string>& known);

/// Returns " (did you mean 'X'?)" if a known name is near, then "; known: a, b, c" (at most 12, then a
/// count).
std::string suggestion(std::string_view name, const std::vector<std::string>& known);

}  // namespace parity
