// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "harness/trace/format/tensor_key.hpp"

namespace parity::trace {

/// Names, phase input, of the experts that routers chose: [rows, S, E] bool, true for each chosen expert. A
/// token whose scores are not finite has no expert.
constexpr std::string_view routes_suffix = ".routes", routes_glob = "layers.*.moe.routes";

/// Returns the name of the routes of a mixture of experts, "layers.0.moe".
inline std::string routes_name(const std::string& mixture) {
  return mixture + std::string(routes_suffix);
}

inline bool is_routes(const TensorKey& key) {
  return key.phase == Phase::input && key.name.ends_with(routes_suffix);
}

}  // namespace parity::trace
