// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/trace/write/recorder.hpp"
#include "reference/model/parameter.hpp"

namespace parity::reference {

class Trainer;

/// Returns the biases of the routers of this rank's pipeline stage.
std::vector<Parameter> own_router_biases(const Trainer& trainer);

/// Offers, as inputs of the step, what a trainer has after loading a checkpoint: "loaded/param/<name>",
/// "loaded/optim/<name>", and the parts of offer_saved as "loaded/<part>".
void offer_loaded(const Trainer& trainer, trace::Recorder& recorder);

/// Offers, as inputs of the step, what a checkpoint has besides the parameters and the optimizer's tensors of
/// the step: "saved/generator", "saved/data_position", "saved/data_rows" of a blend,
/// "saved/schedule_position", "saved/optimizer_steps", the smallest and the largest step counter of an
/// optimizer that has any, and, with loss.scale, "saved/loss_scale" and "saved/loss_scale_streak", the
/// updates in a row that were not skipped.
void offer_saved(const Trainer& trainer, trace::Recorder& recorder);

}  // namespace parity::reference
