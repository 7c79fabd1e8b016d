// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace parity {

/// Returns whether a file is Parquet by its name.
constexpr bool is_parquet_name(std::string_view name) {
  return name.ends_with(".parquet");
}

/// Returns whether a file has JSON lines by its name: an object a line.
constexpr bool is_json_lines_name(std::string_view name) {
  return name.ends_with(".jsonl");
}

}  // namespace parity
