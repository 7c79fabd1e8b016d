// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/trace/write/recorder.hpp"
#include "reference/train/activation_capture.hpp"
#include "reference/train/comm_channels.hpp"
#include "reference/train/operator_capture.hpp"

namespace at {
class Tensor;
}

namespace parity::reference {

class Trainer;
struct MicroBatch;
struct PolicyResult;
struct StepResult;

/// Joins a trainer and a Recorder: offers every gradient, parameter and state of the optimizer in its phase,
/// in model order, and the results of the model's parts with their gradients as they come, together with the
/// memory they lie in, so that an injected fault goes on into the run. With several ranks each records what
/// it holds.
class StepCapture {
 public:
  /// Hooks into `trainer`; both must outlive this object.
  StepCapture(Trainer& trainer, Recorder& recorder);

  /// Step 0: the initial parameters, also for replay.
  void initial_state();
  /// No channels of collectives: a run that goes on in another layout would have others from there on.
  void leave_out_collectives() { counts_collectives_ = false; }
  /// Before Trainer::step.
  void begin_step(int64_t step);
  /// After it: the channels.
  void end_step(const StepResult& result);

 private:
  void offer(Phase phase);
  void offer_policy(const PolicyResult& policy);
  void offer_router_biases();
  void offer_optimizer_state();
  /// What the operators that follow belong to.
  void begin_region_after(Phase phase);
  void offer_batch(int64_t step, int64_t index, const MicroBatch& batch);
  /// A number a token of the update's rows that this rank has, [rows, S]: the document of each token, and of
  /// each mask the first key that each query looks at, for who wants to draw the pairs that attend.
  void offer_mask_inputs();

  Trainer& trainer_;
  Recorder& recorder_;
  CommChannels comm_;
  ActivationCapture activations_;
  OperatorCapture operators_;
  bool counts_collectives_ = true;
  std::map<std::string, std::vector<int64_t>> mask_inputs_;  ///< of the update's micro-batches so far
  int64_t seq_len_ = 0;
};

}  // namespace parity::reference
