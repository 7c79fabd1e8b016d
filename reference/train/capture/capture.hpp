// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/trace/write/recorder.hpp"
#include "reference/optim/optimizer.hpp"
#include "reference/train/capture/activations.hpp"
#include "reference/train/capture/comm_channels.hpp"
#include "reference/train/capture/operators.hpp"

namespace at {
class Tensor;
}

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
  /// Lets the next step offer what the run loaded from a checkpoint, as its inputs "loaded/param/<name>" and
  /// "loaded/optim/<name>": parameters, router biases, the optimizer's tensors and its counts of updates.
  void loaded() { has_loaded_ = true; }
  /// Call it before Trainer::step.
  /// \param is_saved  whether a checkpoint follows the update. The optimizer's counts are then recorded too,
  ///                  to compare them with what a run loads
  void begin_step(int64_t step, bool is_saved = false);
  /// Records the channels. Call it after Trainer::step.
  void end_step(const StepResult& result);

 private:
  void offer(trace::Phase phase);
  void offer_policy(const PolicyResult& policy);
  void offer_router_biases();
  /// Returns the router biases of this rank's stage.
  Parameters own_router_biases() const;
  void offer_loaded();
  void offer_optimizer_state();
  /// Offers state, a count of updates as a tensor of one element.
  void offer_state(trace::Phase phase, const std::string& name, const Optimizer::State& state);
  /// Names the region that the operators after `phase` belong to.
  void begin_region_after(trace::Phase phase);
  void offer_batch(int64_t step, int64_t index, const MicroBatch& batch);
  /// Offers what the model reads of a piece, as the inputs "read/tokens", "read/labels" and "read/positions".
  void offer_piece(const BatchPiece& piece);
  /// Offers the data that a report needs to draw the masks, for this rank's rows of the update, [rows, S].
  /// This is the document of each token, and for each mask the first key that each query attends to.
  void offer_mask_inputs();

  Trainer& trainer_;
  trace::Recorder& recorder_;
  CommChannels comm_;
  ActivationCapture activations_;
  OperatorCapture operators_;
  bool counts_collectives_ = true;
  bool has_loaded_ = false;
  bool is_saved_ = false;
  std::map<std::string, std::vector<int64_t>> mask_inputs_;  ///< of the update's micro-batches so far
  int64_t seq_len_ = 0;
};

}  // namespace parity::reference
