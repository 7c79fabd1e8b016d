// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "harness/checkpoints/match/role.hpp"

namespace parity::checkpoints {

/// A name that a program gives to a part of a model.
struct RoleRow {
  std::string_view part;  ///< without the block's number, ".weight" and ".bias"; "#" is an expert
  std::string_view role;
  RowOrder order = RowOrder::none;
  bool is_matrix = false;
  RowGroups groups = RowGroups::unknown;
};

/// Returns the row of a part; null if the table does not have it.
/// \param in_block  whether the part belongs to a numbered block
const RoleRow* find_role(std::string_view part, bool in_block);

}  // namespace parity::checkpoints
