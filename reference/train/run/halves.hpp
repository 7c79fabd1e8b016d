// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/config/run_config.hpp"

namespace parity::reference {

class Trainer;
struct StepResult;

/// Makes one update from outside the trainer, as the controller of an RL trainer does. It fetches the
/// batches, calls forward_backward once for each with the token count of all, then calls optim_step.
///
/// UpdateCall::halves          gradients add up over the calls
/// UpdateCall::halves_zeroing  each forward_backward first drops the earlier gradients, so that only that of
///                             the last call remains; torchtitan's policy trainer once did so
/// Source: torchtitan #2985, NUMERICS.md 8.1. \throws as Trainer::step
StepResult update_by_halves(Trainer& trainer, UpdateCall call);

}  // namespace parity::reference
