// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/enum_names.hpp"

namespace parity::golden {

/// The state of a case's golden file, found without running anything.
enum class GoldenState {
  none,        ///< the case has no golden
  stored,      ///< intact, and with exactly the case's arms
  missing,     ///< not recorded yet
  incomplete,  ///< lacks an arm of the case
  /// Holds an arm that the case does not keep, or belongs to no case.
  unused,
  other_schema,  ///< has another version of the format
  corrupt,       ///< unreadable or damaged
};

constexpr auto enum_names(GoldenState) {
  return named<GoldenState::corrupt>(
      "golden state", {"none", "stored", "missing", "incomplete", "unused", "other schema", "corrupt"});
}

struct GoldenFinding {
  GoldenState state = GoldenState::none;
  std::string sentence;  ///< what is wrong; "" for none and stored
};

/// Returns the state of a golden file.
/// \param arms  arms that the case keeps; empty: none
GoldenFinding golden_state(const std::filesystem::path& file, const std::vector<std::string>& arms);

}  // namespace parity::golden
