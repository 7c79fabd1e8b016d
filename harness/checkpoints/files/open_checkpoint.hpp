// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/checkpoints/files/checkpoint.hpp"

namespace parity::checkpoints {

/// Returns whether an argument names a checkpoint: a safetensors or torch.save file, or a folder of either,
/// or of torch.distributed.checkpoint.
bool is_checkpoint(const std::string& path);

/// Opens a checkpoint and recognises its format by content. Formats of PyTorch are converted by a child
/// process of the Python package to a temporary safetensors file.
/// \throws UserError naming the file and what was expected, if it cannot be read
Checkpoint open_checkpoint(const std::string& path);

}  // namespace parity::checkpoints
