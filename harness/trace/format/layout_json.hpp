// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/base/json/json.hpp"
#include "harness/tensor/placement.hpp"

namespace parity::trace {

/// Returns a layout as JSON:
///
///     {"global_shape": [8, 4], "placements": [{"mesh": "tp", "coordinate": 1, "size": 2, "kind": "shard",
///      "dim": 0, "ranges": [[4, 8]]}]}
///
/// The other kinds are replicate, and sum and avg for terms of a partial tensor. Source:
/// harness/trace/FORMAT.md.
Json to_json(const TensorLayout& layout);

/// Parses the JSON form. \throws UserError if a key is missing, has another type, or describes an invalid
/// layout
TensorLayout layout_from_json(const Json& json);

}  // namespace parity::trace
