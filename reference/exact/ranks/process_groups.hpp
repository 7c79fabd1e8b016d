// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Collectives that reach the dispatcher, as those of torch.distributed do (c10d::allreduce_ and its kin).
#pragma once

#include "reference/exact/call.hpp"

namespace parity::reference::exact {

/// Returns whether an operator is a collective or a message of c10d.
bool is_collective(const c10::FunctionSchema& schema);

/// Runs a collective, waits for its end, and moves and adds the residues as it moved and added the values.
/// Every rank exchanges residues, also one whose tensors have none, so that no rank waits for another.
/// \throws UserError where the collective has no exact form, or a rank's tensor no residues
void run_collective(Call& call);

}  // namespace parity::reference::exact
