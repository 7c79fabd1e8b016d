// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <ATen/core/Dict.h>
#include <torch/types.h>

#include "harness/tensor/placement.hpp"
#include "reference/parallel/core/parallel.hpp"

namespace parity::reference {

/// Tensors by name, as a checkpoint holds them.
using Entries = c10::Dict<std::string, torch::Tensor>;

/// Joins the shards of a tensor from the ranks of a stage and inserts the whole. All of them call it, in the
/// same order. \param value  this rank's shard, placed by `layout`
void insert_whole(Entries& entries, const std::string& name, const torch::Tensor& value,
                  const TensorLayout& layout, const Parallel& parallel);

/// Collects the entries of all stages of a pipeline on rank 0; the other ranks keep their own.
/// All ranks call it. \return whether this is rank 0
bool join_stages(Entries& entries, const Parallel& parallel);

}  // namespace parity::reference
