// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace parity::results {

/// The schema that this version writes.
inline constexpr std::string_view schema = "parity.results/2";

/// Returns whether this version reads a schema: any minor version of parity.results/1 and /2.
inline bool is_readable(std::string_view name) {
  for (const std::string_view known : {std::string_view("parity.results/1"), schema})
    if (name == known || (name.starts_with(known) && name[known.size()] == '.'))
      return true;
  return false;
}

}  // namespace parity::results
