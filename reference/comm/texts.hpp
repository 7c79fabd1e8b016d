// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference/comm/group.hpp"

namespace parity::reference {

/// Returns the text of rank `root` on every rank. \throws PeerLost
std::string broadcast_text(const std::string& text, const Group& ranks, int64_t root);

/// Returns the texts of all ranks, in order, on every rank. They may differ in length. \throws PeerLost
std::vector<std::string> gather_texts(const std::string& text, const Group& ranks);

}  // namespace parity::reference
