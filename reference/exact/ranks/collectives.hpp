// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "reference/comm/mirror.hpp"

namespace parity::reference::exact {

/// Returns a mirror that moves and adds residues as a collective moves and adds the values.
std::shared_ptr<Mirror> follow_collectives();

}  // namespace parity::reference::exact
