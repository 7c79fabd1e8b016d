// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "reference/config/run_config.hpp"
#include "reference/model/decoder/decoder.hpp"
#include "reference/parallel/core/parallel.hpp"
#include "reference/parallel/data/data_parallel.hpp"
#include "reference/parallel/pipeline/pipeline.hpp"

namespace parity::reference {

/// A model with its parallelisms applied, as this rank trains it.
struct Applied {
  Parameters parameters;  ///< that this rank holds: its shards, with their layouts
  Parameters trained;     ///< those of them that require a gradient; frozen ones do not
  /// The leaves of backward, with the layout of what they hold: the parameters, or the whole tensors that
  /// FSDP gathers from shards.
  Parameters leaves;
  std::unique_ptr<DataParallel> data_parallel;
  std::unique_ptr<Pipeline> pipeline;  ///< null if every rank has all blocks
  /// Sums the cross entropy of sharded logits over tokens; empty if the logits are whole.
  std::function<torch::Tensor(const torch::Tensor& logits, const torch::Tensor& labels)> cross_entropy_sum;
  /// log sum exp of sharded logits over the vocabulary; empty if the logits are whole.
  std::function<torch::Tensor(const torch::Tensor& logits)> log_z;
  /// Ranks that each have a shard of the logits; null if the logits are whole.
  GroupPointer vocabulary_ranks;
  /// Counts the blocks that backward has computed again; null if it never does.
  std::shared_ptr<const int64_t> recomputed;
  /// The buffers in which gradients are reduced, a line each; empty if each parameter has its own.
  std::vector<std::string> buffers;
};

/// Applies the parallelisms of a config to a model. The order is tensor parallel, pipeline stages, expert
/// parallel, context parallel, activation checkpointing, then FSDP or replicas. Each replaces the parameters
/// by the shards that this rank holds.
/// \param model  with its initial weights, which are the same on every rank
Applied apply_parallelism(Decoder& model, const ParallelConfig& config, const Parallel& parallel);

}  // namespace parity::reference
