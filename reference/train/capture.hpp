// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "harness/trace/recorder.hpp"

namespace parity::reference {

class Trainer;
struct MicroBatch;
struct StepResult;

/// Joins a trainer and a Recorder: offers every gradient and parameter in its phase, in model order, together
/// with the memory it lies in, so that an injected fault goes on into the run.
class StepCapture {
 public:
  /// Hooks into `trainer`; both must outlive this object.
  StepCapture(Trainer& trainer, Recorder& recorder);

  /// Step 0: the initial parameters, also for replay.
  void initial_state();
  /// Before Trainer::step.
  void begin_step(int64_t step);
  /// After it: the channels.
  void end_step(const StepResult& result);

 private:
  void offer(Phase phase);
  void offer_batch(int64_t step, int64_t index, const MicroBatch& batch);

  Trainer& trainer_;
  Recorder& recorder_;
};

}  // namespace parity::reference
