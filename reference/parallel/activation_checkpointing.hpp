// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "reference/config/run_config.hpp"
#include "reference/model/decoder/decoder.hpp"

namespace parity::reference {

/// Blocks that keep only their input: backward computes their forward pass again, with everything that hooks
/// put inside a block (collectives of tensor parallel among them), so that every number stays what it was.
/// What hooks put at a block's ends (FSDP) stays outside: a unit is gathered once for both.
///
/// full: every block. every: blocks k - 1, 2 k - 1, ..., counted from 0, as torchtitan counts.
/// Forward draws no random numbers, so there is no state of a generator to bring back.
/// \return blocks computed again so far, counted where it happens; null where none is
/// Source: torchtitan's activation_checkpoint (mode full, selective with a number).
std::shared_ptr<const int64_t> apply_activation_checkpointing(Decoder& model, const ParallelConfig& config);

}  // namespace parity::reference
