// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace parity::api {

/// The point of a step at which a tensor was recorded, in the order of a step.
enum class Phase { input, forward, backward, grad_local, grad, grad_clipped, optim, param };

/// Returns the name of a phase in trace files: "grad_clipped".
constexpr std::string_view name_of(Phase phase) {
  constexpr std::array<std::string_view, 8> names = {"input", "forward",      "backward", "grad_local",
                                                     "grad",  "grad_clipped", "optim",    "param"};
  return names.at(static_cast<size_t>(phase));
}

/// How a channel is compared.
enum class ChannelKind {
  numeric,   ///< compared, and the same on every rank
  timing,    ///< shown only
  per_rank,  ///< compared; each rank has its own values, of which a reader takes the largest
};

}  // namespace parity::api
