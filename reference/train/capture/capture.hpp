// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "harness/trace/write/recorder.hpp"
#include "reference/train/capture/activations.hpp"
#include "reference/train/capture/comm_channels.hpp"
#include "reference/train/capture/micro_batch_gradients.hpp"
#include "reference/train/capture/operators.hpp"

namespace parity::reference {

class Trainer;
struct BatchPiece;
struct MicroBatch;
struct PolicyResult;
struct StepResult;

/// Connects a trainer to a Recorder. It offers every gradient, parameter and optimizer state in its phase, in
/// model order. It offers the results of the model's modules and their gradients during computation. The
/// Recorder gets the memory of each tensor, so an injected fault affects the rest of the run. Each rank
/// records what it holds.
class StepCapture {
 public:
  /// Hooks into `trainer`; both must outlive this object.
  StepCapture(Trainer& trainer, trace::Recorder& recorder);

  /// Step 0: the initial parameters, also for replay.
  void initial_state();
  /// Leaves out the channels of collectives. A run that resumes in another layout would have different ones.
  void leave_out_collectives() { counts_collectives_ = false; }
  /// Lets the next step offer what the run loaded from a checkpoint (restart_state.hpp).
  void loaded() { has_loaded_ = true; }
  /// Call it before Trainer::step.
  void begin_step(int64_t step);
  /// Offers what a checkpoint of this state holds besides the tensors of the step. Call it before end_step.
  void saved();
  /// Records the channels. Call it after Trainer::step.
  void end_step(const StepResult& result);

 private:
  void offer(trace::Phase phase);
  void offer_policy(const PolicyResult& policy);
  void offer_router_losses(const StepResult& result);
  void offer_router_biases();
  void offer_optimizer_state();
  /// Offers the residues of a weight, or of what has its shape, in the common order of rows
  /// (common_order.hpp), joined over the ranks of a stage.
  /// \param layout, in_mesh  place of `held` in the whole tensor; `in_mesh` names every mesh dimension
  /// \return false if the model keeps the rows in that order anyway, or is not an exact twin; nothing is
  /// offered
  bool offer_in_common_order(trace::Phase phase, const std::string& name, const torch::Tensor& held,
                             const TensorLayout& layout, const TensorLayout& in_mesh);
  /// Names the region that the operators after `phase` belong to.
  void begin_region_after(trace::Phase phase);
  void offer_batch(int64_t step, int64_t index, const MicroBatch& batch);
  /// Offers what the model reads of a piece, as the inputs "read/tokens", "read/labels", "read/positions"
  /// and, from the masks in their backend's form, "read/first_keys" (attention/first_keys.hpp).
  void offer_piece(const BatchPiece& piece);
  /// Offers the data that a report needs to draw the masks, for this rank's rows of the update, [rows, S].
  /// This is the document of each token, and for each mask the first key that each query attends to.
  void offer_mask_inputs();

  Trainer& trainer_;
  trace::Recorder& recorder_;
  CommChannels comm_;
  ActivationCapture activations_;
  OperatorCapture operators_;
  MicroBatchGradients micro_batches_;
  bool counts_collectives_ = true;
  bool has_loaded_ = false;
  std::map<std::string, std::vector<int64_t>> mask_inputs_;  ///< of the update's micro-batches so far
  int64_t seq_len_ = 0;
};

}  // namespace parity::reference
