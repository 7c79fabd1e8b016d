// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <ATen/core/Dict.h>
#include <torch/types.h>

#include "harness/tensor/placement.hpp"
#include "reference/parallel/parallel.hpp"

namespace parity::reference {

/// Tensors by name, as a checkpoint holds them.
using Entries = c10::Dict<std::string, torch::Tensor>;

/// Joins what the ranks of a stage hold of a tensor. All of them call it, in the same order.
/// \param value  what this rank holds, as `layout` says
void insert_whole(Entries& entries, const std::string& name, const torch::Tensor& value,
                  const TensorLayout& layout, const Parallel& parallel);

/// Brings what all stages of a pipeline have together on rank 0; the other ranks keep their own. All ranks
/// call it. \return whether this is rank 0
bool join_stages(Entries& entries, const Parallel& parallel);

}  // namespace parity::reference
