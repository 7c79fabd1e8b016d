// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "reference/comm/group.hpp"

namespace parity::reference {

/// Moves the finished traces of ranks 1, 2, ... to the folder of rank 0's trace, through the connections of
/// the ranks: for machines without a shared folder. A file that rank 0 already sees stays. All ranks call it,
/// after those above 0 have finished their traces and before rank 0 has. A file whose move fails keeps its
/// name on its machine.
/// \param trace  path of rank 0's trace, on each rank that of its machine
/// \throws UserError on rank 0 if a file cannot be written, or arrives damaged; PeerLost on the others
void collect_trace(const std::filesystem::path& trace, const Group& world);

/// Moves collected traces of ranks 1, 2, ... back to the machines of their ranks, which append to them. A
/// file that its rank already sees stays, and so does one that rank 0 does not see. All ranks call it, before
/// they open their traces.
/// \param trace  as for collect_trace()
/// \throws UserError on a rank whose file cannot be written, or arrives damaged; PeerLost on the others
void hand_out_trace(const std::filesystem::path& trace, const Group& world);

}  // namespace parity::reference
