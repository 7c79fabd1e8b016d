// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/base/json.hpp"
#include "harness/tensor/placement.hpp"

namespace parity {

/// {"global_shape": [8, 4], "placements": [{"mesh": "tp", "coordinate": 1, "size": 2, "kind": "shard",
///  "dim": 0, "ranges": [[4, 8]]}]}; other kinds are replicate, sum and avg (terms of a partial).
/// Source: harness/trace/FORMAT.md.
Json to_json(const TensorLayout& layout);

/// \throws UserError if something is missing, of another type, or impossible
TensorLayout layout_from_json(const Json& json);

}  // namespace parity
