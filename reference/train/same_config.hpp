// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/base/json.hpp"
#include "reference/comm/group.hpp"

namespace parity::reference {

/// Ranks that do not do the same thing wait for each other in vain, or compute nonsense. Every rank calls it
/// first, with what it is about to do as nested objects.
/// \throws UserError with the same words on every rank: which rank differs from rank 0, and in which keys
void require_same_config(const Json& config, const Group& world);

/// The same for weights that each rank read by itself: parts of different models would train on without a
/// word. \param digest  from weights_digest. \throws UserError as above
void require_same_weights(const std::string& digest, const Group& world);

}  // namespace parity::reference
