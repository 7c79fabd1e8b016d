// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/base/json/json.hpp"
#include "reference/comm/group.hpp"

namespace parity::reference {

/// Checks that all ranks run the same config. Ranks with different configs would wait for each other forever,
/// or compute nonsense. Every rank calls it first.
/// \param config  as nested objects
/// \throws UserError with the same text on every rank: which rank differs from rank 0, and in which keys
void check_equal_configs(const Json& config, const Group& world);

/// Checks that all ranks have read the same weights: shards of different models would train without an error.
/// \param digest  from weights_digest(). \throws UserError as above
void check_equal_weights(const std::string& digest, const Group& world);

}  // namespace parity::reference
