// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "reference/comm/group.hpp"
#include "reference/config/run_config.hpp"
#include "reference/model/decoder/decoder.hpp"

namespace parity::reference {

/// What QK-clip saw and did in an update.
struct QkClipResult {
  double largest_logit = 0;   ///< of all blocks and heads, before clipping
  int64_t clipped_heads = 0;  ///< over all blocks
};

/// Scales queries and keys of the heads whose logits were too large in the update, after the optimizer's
/// step:
///
///   gamma_h = min(1, tau / S_h)       S_h: largest logit of the head, over micro-batches and ranks
///
/// Every logit of the head then has the factor gamma_h (qk_rows.hpp). With QkClipScope::layer, S_h is the
/// largest logit of all heads of the block. Begins new tallies. All ranks call it.
/// \param parameters  this rank's shards, with their layouts
/// \param clips       false: the optimizer skipped the update, and nothing is scaled
/// \param world       all ranks of the update
/// Source: Kimi K2 (arXiv:2507.20534, section 2.1, algorithm 1).
QkClipResult clip_queries_and_keys(const Decoder& model, const Parameters& parameters,
                                   const OptimizerConfig& config, bool clips, const Group& world);

}  // namespace parity::reference
