// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "reference/config/run_config.hpp"
#include "reference/model/decoder/decoder.hpp"
#include "reference/parallel/data_parallel.hpp"
#include "reference/parallel/parallel.hpp"
#include "reference/parallel/pipeline.hpp"

namespace parity::reference {

/// What a model is trained as on this rank.
struct Applied {
  Parameters parameters;  ///< that this rank trains: its parts, with their layouts
  std::unique_ptr<DataParallel> data_parallel;
  std::unique_ptr<Pipeline> pipeline;  ///< null where every rank has all blocks
  /// Cross entropy summed over tokens, of the logits that the model gives; empty = they are whole.
  std::function<torch::Tensor(const torch::Tensor& logits, const torch::Tensor& labels)> cross_entropy_sum;
  /// Ranks that have a part of the logits each; null = they are whole.
  GroupPointer vocabulary_ranks;
  std::shared_ptr<const int64_t> recomputed;  ///< blocks, so far; null = none is computed again
  std::vector<std::string>
      buffers;  ///< in which gradients are reduced, a line each; empty = a parameter each
};

/// Puts the parallelisms of a config around a model: tensor parallel, then stages of a pipeline, then expert
/// parallel, then context parallel, then activation checkpointing, then FSDP or replicas. Each replaces the
/// parameters by what the rank holds of them.
/// \param model  with its first weights, which are the same on every rank
Applied apply_parallelism(Decoder& model, const ParallelConfig& config, const Parallel& parallel);

}  // namespace parity::reference
