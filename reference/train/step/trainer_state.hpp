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
#include "reference/optim/gradient_scaler.hpp"
#include "reference/optim/optimizer.hpp"
#include "reference/optim/schedules/schedule.hpp"
#include "reference/parallel/apply.hpp"
#include "reference/parallel/core/parallel.hpp"
#include "reference/train/numerics/float8_weights.hpp"
#include "reference/train/step/batch_input.hpp"
#include "reference/train/step/route_replay.hpp"
#include "reference/train/step/token_outputs.hpp"
#include "reference/train/step/trainer_hooks.hpp"
#include "reference/train/step/update_norm.hpp"
#include "reference/train/step/update_tally.hpp"

namespace parity::reference {

/// The parts of a Trainer. Only the sources of its members include this header.
struct TrainerState {
  TrainerState(const RunConfig& run_config, std::shared_ptr<Group> world);

  RunConfig config;
  Parallel parallel;
  Decoder model;
  Loader loader;
  std::vector<int64_t> places;  ///< positions of each sequence that this rank has; empty = all
  std::string initial_weights;
  Applied applied;
  std::optional<Float8Weights> float8;
  std::optional<RouteReplay> replay;
  std::optional<GradientScaler> scaler;
  std::unique_ptr<Optimizer> optimizer;
  Schedule schedule;
  Schedule muon_schedule;  ///< of the matrices' rate, with optimizer.muon.lr
  UpdateNorm update_norm;
  UpdateTally tally;
  std::vector<std::string> warnings;
  std::vector<MicroBatch> eval_batches;  ///< read at the first evaluation
  int64_t updates_done = 0;
  int64_t recomputed_before = 0;  ///< blocks, in all earlier updates
  int64_t schedule_position = 0;  ///< differs from updates_done only if a resumed run did not load it
  std::map<std::string, std::vector<torch::Tensor>*> kept_values;  ///< written to checkpoints too, by name
  PhaseHook phase_hook;
  BatchHook batch_hook;
  PieceHook piece_hook;

  /// Returns the loss of hidden states. With loss.chunks it also differentiates it, down to those states.
  PieceLoss loss_of(const LossRule& rule, const torch::Tensor& hidden, const torch::Tensor& labels) const;
  /// Adds the losses of multi-token prediction: their mean over depths times loss.mtp_coef. Each is a sum
  /// over tokens, divided like the rule's own.
  void add_further_loss(PieceLoss& loss, LossRule rule, const torch::Tensor& hidden,
                        const BatchPiece& piece) const;
  TokenOutputs tokens_of(const BatchPiece& piece, const torch::Tensor& hidden) const;
  LossRule rule_for(int64_t valid_tokens, const UpdateTotals& totals) const {
    return {config.loss.normalization, valid_tokens,       totals,
            applied.cross_entropy_sum, config.loss.z_coef, applied.log_z};
  }

  /// Returns the place of the current micro-batch in this rank's rows of the update.
  int64_t first_row_of(int64_t micro_batch) const {
    return micro_batch * (config.data.global_batch / config.data.micro_batches / parallel.batch->size());
  }

  /// Drops what was derived from the old parameters. Call it after they were written from outside.
  void parameters_changed() {
    applied.data_parallel->drop_gathered();
    if (float8)
      float8->after_update();
  }
  void reached(trace::Phase phase) const {
    if (phase_hook)
      phase_hook(phase);
  }
};

}  // namespace parity::reference
