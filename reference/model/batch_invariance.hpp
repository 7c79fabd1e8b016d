// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reference/model/module_hooks.hpp"

namespace parity::reference {

/// Makes the forward pass batch-invariant: each token's bits depend only on the token's own sequence. This
/// holds for a model without experts that uses AttentionBackend::tiled, one thread, and sums over at most two
/// ranks, or over ranks in a tree.
///
/// Replaces the model's operators by those of fixed_order.hpp, and the complex product of RoPE by real
/// products and sums. The other operators copy an element or round it once, as IEEE 754 says: embedding, sums
/// and products of elements, conversions. Gradients differ from the ordinary ones only by rounding. Source:
/// NUMERICS.md 8.4.
/// \param pieces  that this rank adds of each product whose columns tensor parallelism shards
///                (ParallelConfig::own_sum_pieces)
void make_batch_invariant(ModuleHooks& hooks, int64_t pieces = 1);

}  // namespace parity::reference
