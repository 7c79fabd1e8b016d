// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "reference/comm/group.hpp"

namespace parity::reference {

/// Runs a function on every rank, and throws on all of them if it failed on one, so that no rank waits for
/// another. All ranks call it.
/// \param work  no collectives
/// \throws UserError of the first rank that failed, which the message names unless it is alone; PeerLost
void on_all_ranks(const Group& world, const std::function<void()>& work);

}  // namespace parity::reference
