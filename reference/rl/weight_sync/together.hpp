// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

#include "reference/comm/group.hpp"

namespace parity::reference {

/// Thrown on every rank, with the same text, if some rank failed in its share.
class RankFailed : public std::runtime_error {
 public:
  RankFailed(int64_t rank, const std::string& words)
      : std::runtime_error("rank " + std::to_string(rank) + ": " + words) {}
};

/// Runs this rank's share of a task, then asks all ranks whether theirs succeeded. So no rank enters a
/// collective that another rank will not reach. It costs an all-reduce of 8 bytes.
/// \param share  without collectives
/// \throws RankFailed with the text of the first rank that failed; PeerLost
void together(const Group& ranks, const std::function<void()>& share);

}  // namespace parity::reference
