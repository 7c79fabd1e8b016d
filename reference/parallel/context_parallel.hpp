// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "reference/model/module_hooks.hpp"
#include "reference/parallel/collectives.hpp"

namespace parity::reference {

/// The positions of a sequence that a rank of cp has, in its order: chunks r and 2 cp - 1 - r of 2 cp equal
/// ones. The first is early and cheap under a causal mask, the second as late and dear, so that all ranks
/// have as many query-key pairs.
/// \param seq_len  2 cp divides it
/// Source: NUMERICS.md 6; torchtitan's head-tail balancer.
std::vector<int64_t> context_positions(int64_t seq_len, int64_t ranks, int64_t rank);

/// The ranks' parts of a dimension, laid out by context_positions, joined in the order of the sequence.
/// Backward each rank gets the ranks' sum for its part.
/// \param x  [..., S / cp, ...]
/// \return [..., S, ...]
torch::Tensor gather_context(const torch::Tensor& x, int64_t dim, const GroupPointer& ranks);

/// Puts the gathering of keys and values around each attention: queries stay where they are.
/// \param ranks  along cp
void apply_context_parallel(ModuleHooks& hooks, int64_t n_layers, const GroupPointer& ranks);

}  // namespace parity::reference
