// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "reference/config/run_config.hpp"
#include "reference/model/decoder/decoder.hpp"

namespace parity::reference {

/// Makes blocks keep only their input; backward computes their forward pass again. This includes everything
/// that hooks put inside a block, such as collectives of tensor parallelism. So every number stays the same.
/// Hooks at the ends of a block (FSDP) run only once: a unit is gathered for both passes together.
///
/// full: every block. every: blocks k - 1, 2 k - 1, ..., counted from 0, as torchtitan counts.
/// Forward draws no random numbers, so no generator state is restored.
/// \return the number of blocks computed again so far, updated as it happens; null if no block is
/// Source: torchtitan's activation_checkpoint (mode full, selective with a number).
std::shared_ptr<const int64_t> apply_activation_checkpointing(Decoder& model, const ParallelConfig& config);

}  // namespace parity::reference
