// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/suite/cases/flat_config.hpp"

namespace parity {

/// A change of an arm that must not change what it computes.
struct NoOp {
  std::string words;  ///< "resumed after update 3"
  FlatConfig config;  ///< keys to set
  bool exact = true;  ///< bit for bit; else up to the order of sums

  bool operator==(const NoOp&) const = default;
};

/// Every no-op of an arm under this complete config: other thread counts, a restart after each update, the
/// update cut into other micro-batches or over ranks.
///
/// A cut is one only where the loss is one sum over all tokens of the update. An arm that runs on several
/// ranks or restarts already keeps its ranks and its restart.
std::vector<NoOp> no_ops_of(const FlatConfig& config);

}  // namespace parity
