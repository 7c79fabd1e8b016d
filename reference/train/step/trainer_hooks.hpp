// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "harness/trace/format/phase.hpp"

namespace parity::reference {

struct BatchPiece;
struct MicroBatch;

/// Called at the points of an update where tensors are recorded. It may write to them.
///
/// | phase        | called                                                  | tensors            |
/// |--------------|---------------------------------------------------------|--------------------|
/// | grad_local   | after backward, before gradients are reduced over ranks | gradients          |
/// | grad         | after the reduction and gradient scaling                | gradients          |
/// | grad_clipped | after clipping                                          | gradients          |
/// | optim        | after the update                                        | optimizer's state  |
/// | param        | after the update                                        | parameters         |
using PhaseHook = std::function<void(trace::Phase)>;

/// Called with each micro-batch before its forward pass; `index` counts from 0 in each update.
using BatchHook = std::function<void(int64_t step, int64_t index, const MicroBatch&)>;

/// Called with each piece of a micro-batch before its forward pass, after rows and sequences were cut.
using PieceHook = std::function<void(const BatchPiece&)>;

}  // namespace parity::reference
