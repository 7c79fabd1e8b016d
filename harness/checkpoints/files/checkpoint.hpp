// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/checkpoints/files/weight_files.hpp"

namespace parity::checkpoints {

/// The tensors of a checkpoint, whatever its format.
struct Checkpoint {
  std::string path;    ///< as the user named it
  std::string format;  ///< "safetensors", "torch.save", "torch.distributed.checkpoint"
  std::map<std::string, StoredTensor> tensors;
  std::vector<std::string> notes;             ///< what a reader should know, such as what was left out
  std::shared_ptr<const WeightFiles> memory;  ///< keeps the tensors' bytes mapped

  /// Returns "a: safetensors, 291 tensors, 6738415616 elements".
  std::string text() const;
};

/// Returns whether an argument names a checkpoint: a safetensors or torch.save file, or a folder of either,
/// or of torch.distributed.checkpoint.
bool is_checkpoint(const std::string& path);

/// Opens a checkpoint and recognises its format by content. Formats of PyTorch are converted by a child
/// process of the Python package to a temporary safetensors file.
/// \throws UserError naming the file and what was expected, if it cannot be read
Checkpoint open_checkpoint(const std::string& path);

}  // namespace parity::checkpoints
