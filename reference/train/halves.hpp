// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/config/run_config.hpp"

namespace parity::reference {

class Trainer;
struct StepResult;

/// One update driven from outside, as the controller of an RL trainer does: it holds the batches, calls
/// forward_backward once for each with the number of tokens of all, then optim_step.
///
/// UpdateCall::halves          gradients add up over the calls
/// UpdateCall::halves_zeroing  each forward_backward drops the gradients of before first, as torchtitan's
///                             policy trainer did at first: only the last call's gradient is left
/// Source: torchtitan #2985, NUMERICS.md 8.1. \throws as Trainer::step
StepResult update_by_halves(Trainer& trainer, UpdateCall call);

}  // namespace parity::reference
