// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/checkpoints/files/safetensors.hpp"

namespace parity::checkpoints {

/// Returns whether a path asks for a folder of torch.distributed.checkpoint: it ends in a slash.
bool is_distributed_place(const std::filesystem::path& place);

/// Checks that write_distributed can write to a folder, without writing.
/// \throws UserError if it is a file or not empty, or (exit 3) if Python or PyTorch is missing
void check_distributed_place(const std::filesystem::path& folder);

/// Writes tensors as a folder of torch.distributed.checkpoint, which PyTorch's own writer makes in a child
/// process: one entry a tensor, by its name. Readers see no folder or the whole one.
/// \throws UserError with the child's sentence. The tensors are then in FOLDER.safetensors
void write_distributed(const std::filesystem::path& folder, std::vector<TensorToWrite> tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace parity::checkpoints
