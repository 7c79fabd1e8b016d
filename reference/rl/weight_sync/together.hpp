// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

#include "reference/comm/group.hpp"

namespace parity::reference {

/// Some rank could not do its share; thrown on every rank, with the same words.
class RankFailed : public std::runtime_error {
 public:
  RankFailed(int64_t rank, const std::string& words)
      : std::runtime_error("rank " + std::to_string(rank) + ": " + words) {}
};

/// Does this rank's share of something, and then asks all ranks whether theirs went well, so that nobody
/// goes on to a collective that another will not come to. Costs an all-reduce of 8 bytes.
/// \param share  without collectives
/// \throws RankFailed with the words of the first rank that failed; PeerLost
void together(const Group& ranks, const std::function<void()>& share);

}  // namespace parity::reference
