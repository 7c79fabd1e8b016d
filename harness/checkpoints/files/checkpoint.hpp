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
  std::string format;  ///< "safetensors", "llm.c", "torch.save", "torch.distributed.checkpoint"
  std::map<std::string, StoredTensor> tensors;
  std::vector<std::string> notes;             ///< what a reader should know, such as what was left out
  std::shared_ptr<const WeightFiles> memory;  ///< keeps the tensors' bytes mapped
  int64_t head_size = 0;  ///< rows of an attention head, as config.json says; 0 if unknown

  /// Returns "a: safetensors, 291 tensors, 6738415616 elements".
  std::string text() const;
};

}  // namespace parity::checkpoints
