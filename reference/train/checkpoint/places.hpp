// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "reference/comm/group.hpp"
#include "reference/config/run_config.hpp"

namespace parity::reference {

/// A checkpoint's file or folder.
struct CheckpointPlace {
  std::filesystem::path path;
  CheckpointFormat format = CheckpointFormat::torch_save;
};

/// Returns where a run writes a checkpoint, and where --resume reads it: `checkpoint.pt` or the folder
/// `checkpoint.dcp` in `folder`.
CheckpointPlace checkpoint_in(const std::filesystem::path& folder, CheckpointFormat format);

/// Returns what --start-from names: `folder` itself if it is a DCP folder, as other programs write them;
/// else a checkpoint in it, of the other format if there is none of this one. Rank 0 decides, and all ranks
/// call it. \throws PeerLost
CheckpointPlace find_checkpoint(const std::filesystem::path& folder, CheckpointFormat format,
                                const Group& world);

}  // namespace parity::reference
