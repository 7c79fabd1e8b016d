// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace parity::suite {

/// The variables by which torchrun gives a process its rank and its meeting point. Source: torchrun's
/// documentation.
inline constexpr std::array<std::string_view, 5> rank_variables = {"RANK", "LOCAL_RANK", "WORLD_SIZE",
                                                                   "MASTER_ADDR", "MASTER_PORT"};

inline bool is_rank_variable(std::string_view name) {
  return std::ranges::find(rank_variables, name) != rank_variables.end();
}

}  // namespace parity::suite
