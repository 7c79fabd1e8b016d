// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace parity::checkpoints {

/// In which order the rows of a query or key head are stored, for RoPE.
enum class RowOrder {
  none,    ///< no RoPE, or not known
  halves,  ///< all first coordinates, then all second ones: Hugging Face, Megatron
  pairs,   ///< both coordinates of a pair next to each other: Meta, torchtitan
};

/// In which order a tensor holds the rows of q, k and v.
enum class RowGroups {
  unknown,
  concatenated,  ///< all of q, all of k, all of v
  by_key_head,   ///< for each key head its queries, key and value: Megatron, GPT-NeoX
};

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
