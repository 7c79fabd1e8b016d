// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Residues in checkpoints. An exact twin saves them beside the values, so that a restart is part of what it
// proves. A checkpoint of values alone begins a new proof: every tensor gets residues by its name.
#pragma once

#include <filesystem>
#include <string>

#include <torch/types.h>

#include "harness/tensor/placement.hpp"
#include "reference/train/checkpoint/whole_tensors.hpp"

namespace parity::reference {

/// Inserts the residues of a tensor, joined over the ranks of a stage. Does nothing outside of an exact twin.
/// All ranks of the stage call it, in the same order.
void insert_residues(Entries& entries, const std::string& name, const torch::Tensor& value,
                     const TensorLayout& layout, const Parallel& parallel);
/// Inserts what the residues depend on. Does nothing outside of an exact twin.
void insert_draw(Entries& entries);

/// Gives loaded tensors residues: those of the checkpoint if it has any, else new ones by name and place,
/// which are the same in every arm. Does nothing outside of an exact twin.
class LoadedResidues {
 public:
  /// \param update  the number of updates that the checkpoint has
  /// \throws UserError if the checkpoint is of an exact twin with another key
  LoadedResidues(const Entries& entries, int64_t update, const std::filesystem::path& file);

  /// \param target  holds the loaded values, as `layout` places them
  void give(const torch::Tensor& target, const TensorLayout& layout, const std::string& name) const;

 private:
  const Entries& entries_;
  bool has_residues_ = false;
};

}  // namespace parity::reference
