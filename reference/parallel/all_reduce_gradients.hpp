// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/comm/group.hpp"
#include "reference/model/parameter.hpp"

namespace parity::reference {

/// Sums the gradients of ranks that hold the same parameters: one all-reduce a parameter, in their order. The
/// plainest way to replicate a model; what FSDP and HSDP do is held against it.
///
/// A rank without a gradient takes part with zeros, so that no other one waits for it.
/// \param parameters  [any shape] float32 or float64; the gradients are summed in place, in their own dtype
/// Determinism: the same bits on every rank. Over 2 ranks also for any cut of the buffers; over more, Gloo's
/// order of summation depends on the buffer's length.
void all_reduce_gradients(const Parameters& parameters, const Group& replicas);

}  // namespace parity::reference
