// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>

#include <torch/types.h>

#include "reference/data/loader.hpp"
#include "reference/loss/normalization.hpp"
#include "reference/model/decoder/decoder.hpp"
#include "reference/optim/optimizer.hpp"
#include "reference/optim/schedules/schedule.hpp"
#include "reference/parallel/apply.hpp"
#include "reference/parallel/parallel.hpp"
#include "reference/train/batch_input.hpp"
#include "reference/train/float8_weights.hpp"
#include "reference/train/token_outputs.hpp"
#include "reference/train/trainer_hooks.hpp"
#include "reference/train/update_norm.hpp"
#include "reference/train/update_tally.hpp"

namespace parity::reference {

/// The parts of a Trainer. Only the sources of its members include this header.
struct TrainerState {
  TrainerState(const RunConfig& run_config, std::shared_ptr<Group> world);

  RunConfig config;
  Parallel parallel;
  Decoder model;
  Loader loader;
  std::vector<int64_t> places;  ///< in each sequence, that this rank has; empty = all
  std::string initial_weights;
  Applied applied;
  std::optional<Float8Weights> float8;
  std::unique_ptr<Optimizer> optimizer;
  Schedule schedule;
  UpdateNorm update_norm;
  UpdateTally tally;
  std::vector<std::string> warnings;
  std::vector<MicroBatch> eval_batches;  ///< read when first asked for
  int64_t updates_done = 0;
  int64_t recomputed_before = 0;  ///< blocks, in all updates before this one
  int64_t schedule_position = 0;  ///< differs from updates_done only where a resumed run forgot it
  std::map<std::string, std::vector<torch::Tensor>*> kept_values;  ///< with checkpoints
  PhaseHook phase_hook;
  BatchHook batch_hook;

  /// Of hidden states. With loss.chunks it goes backward as far as these at once.
  PieceLoss loss_of(const LossRule& rule, const torch::Tensor& hidden, const torch::Tensor& labels) const;
  TokenOutputs tokens_of(const BatchPiece& piece, const torch::Tensor& hidden) const;
  LossRule rule_for(int64_t valid_tokens, const UpdateTotals& totals) const {
    return {config.loss.normalization, valid_tokens, totals, applied.cross_entropy_sum};
  }

  /// What follows from the parameters has to be worked out again.
  void parameters_changed() {
    applied.data_parallel->drop_gathered();
    if (float8)
      float8->after_update();
  }
  void reached(Phase phase) const {
    if (phase_hook)
      phase_hook(phase);
  }
};

}  // namespace parity::reference
