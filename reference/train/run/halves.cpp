// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/run/halves.hpp"

#include <chrono>

#include "reference/data/loader.hpp"
#include "reference/train/step/trainer.hpp"

namespace parity::reference {

StepResult update_by_halves(Trainer& trainer, UpdateCall call) {
  const auto start = std::chrono::steady_clock::now();
  const UpdateBatches batches = trainer.next_batches();
  trainer.zero_grad();
  for (const MicroBatch& batch : batches.micro_batches) {
    if (call == UpdateCall::halves_zeroing)
      trainer.zero_grad();
    trainer.forward_backward(batch, batches.totals);
  }
  StepResult result = trainer.optim_step();
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace parity::reference
