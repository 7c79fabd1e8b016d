// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/bisect/runs/first_bad_update.hpp"
#include "harness/bisect/traces/law_comparison.hpp"

namespace parity::bisect {

/// Asks the laws of training about both sides' record of an update, and reports the stage "law".
///
/// The update and the one before it run again with the tensors that laws recompute from: inputs, logits,
/// gradients, state and parameters. Laws about channels alone are asked about the whole runs. Exact twins are
/// not asked, since laws are about values.
LawComparison ask_laws(RunProbe& probe, FirstBadUpdate& update);

/// Returns whether a law recomputes a tensor: gradients from the loss on, the optimizer's state, a parameter.
bool do_laws_recompute(const TensorStation& first);

}  // namespace parity::bisect
