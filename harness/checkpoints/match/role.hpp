// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/checkpoints/match/role_table.hpp"

namespace parity::checkpoints {

/// What a tensor is in a model, whatever the program that named it.
struct Role {
  /// "q.weight", "norm1.weight", ... A name that no table has keeps its own words: "mixer.in_proj.weight".
  std::string name;
  std::vector<int64_t> indices;  ///< numbers in the name: block, expert
  std::string state;             ///< state of an optimizer, such as "exp_avg"; "" for a weight
  RowOrder order = RowOrder::none;
  RowGroups groups = RowGroups::unknown;
  bool known = false;      ///< whether the table of names has it
  bool is_matrix = false;  ///< a linear layer in a block, which some programs transpose

  /// Returns a text that is equal for tensors of one role in one place.
  std::string key() const;
  /// Returns the name without ".weight" or ".bias".
  std::string_view part() const;
  std::string_view leaf() const;  ///< "weight", "bias" or ""
};

/// Returns the role that a tensor's name tells.
Role role_of(const std::string& name);

/// Returns a name with "*" for each number.
std::string pattern_of(const std::string& name);

}  // namespace parity::checkpoints
