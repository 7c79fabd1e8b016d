// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Residues in checkpoints. An exact twin saves them beside the values, so that a restart is part of what it
// proves. A checkpoint of values alone begins a new proof: every tensor gets residues by its name.
#pragma once

#include <string>

#include <torch/types.h>

#include "harness/tensor/placement.hpp"
#include "reference/train/checkpoint/saved_values.hpp"

namespace parity::reference {

/// What the names of all residues, and of the draw, begin with.
inline constexpr const char* residue_prefix = "residue";

/// Returns the name that a checkpoint gives to the residues of a tensor.
std::string residue_name(const std::string& name);
/// Inserts what the residues depend on. Does nothing outside of an exact twin.
void insert_draw(Entries& entries);

/// Gives loaded tensors residues: those of the checkpoint if it has any, else new ones by name and place,
/// which are the same in every arm. Does nothing outside of an exact twin.
class LoadedResidues {
 public:
  /// \param update  the number of updates that the checkpoint has
  /// \throws UserError if the checkpoint is of an exact twin with another key
  LoadedResidues(const SavedValues& saved, int64_t update);

  /// \param target  holds the loaded values, as `layout` places them
  void give(const torch::Tensor& target, const TensorLayout& layout, const std::string& name) const;

 private:
  const SavedValues& saved_;
  bool has_residues_ = false;
};

}  // namespace parity::reference
