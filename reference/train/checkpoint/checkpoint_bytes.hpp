// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include <caffe2/serialize/read_adapter_interface.h>

#include "reference/comm/group.hpp"

namespace parity::reference {

/// Returns the bytes of a checkpoint on every rank: those of the file that rank 0 sees. Rank 0 alone writes
/// checkpoints, so the other ranks need no shared folder, and a file of an earlier run on their machine has
/// no effect. All ranks call it.
/// \throws UserError on every rank if rank 0 cannot read the file (exit 3 if it is missing), or a record of
/// it has another checksum; PeerLost
std::shared_ptr<caffe2::serialize::ReadAdapterInterface> read_checkpoint_bytes(
    const std::filesystem::path& file, const Group& world);

}  // namespace parity::reference
