// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace parity::results {

/// The verdicts of a case or check in results.json, from best to worst.
inline constexpr std::array<std::string_view, 9> verdict_names = {
    "identical", "rounding", "drift", "imprecise", "different", "vacuous", "missing", "crashed", "skipped"};

inline bool is_verdict(std::string_view name) {
  return std::ranges::find(verdict_names, name) != verdict_names.end();
}

/// Returns "identical, rounding, ...", for messages.
inline std::string known_verdicts() {
  std::string names;
  for (const std::string_view name : verdict_names)
    names += (names.empty() ? "" : ", ") + std::string(name);
  return names;
}

}  // namespace parity::results
