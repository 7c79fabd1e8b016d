// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/suite/cases/flat_config.hpp"

namespace parity::power {

/// A change of an arm that must not change what it computes.
struct NoOp {
  std::string words;         ///< "resumed after update 3"
  suite::FlatConfig config;  ///< keys to set
  bool exact = true;         ///< equal bit for bit; else up to the order of sums

  bool operator==(const NoOp&) const = default;
};

/// Returns every no-op of an arm with this complete config: other thread counts, a restart after each update,
/// and the update divided into other micro-batches or over ranks.
///
/// A division is a no-op only if the loss is one sum over all tokens of the update. An arm that already has
/// several ranks or a restart keeps them.
std::vector<NoOp> no_ops_of(const suite::FlatConfig& config);

}  // namespace parity::power
