// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "reference/model/module_hooks.hpp"
#include "reference/parallel/core/collectives.hpp"

namespace parity::reference {

/// Returns the positions of a sequence that rank r of cp has, in its order: chunks r and 2 cp - 1 - r of 2 cp
/// equal chunks. Under a causal mask an early chunk has few query-key pairs and a late one many. So all ranks
/// have equally many pairs.
/// \param seq_len  a multiple of 2 cp
/// Source: NUMERICS.md 6; torchtitan's head-tail balancer.
std::vector<int64_t> context_positions(int64_t seq_len, int64_t ranks, int64_t rank);

/// Joins the ranks' parts of a dimension, laid out by context_positions, in the order of the sequence.
/// In backward each rank receives the sum over ranks for its part.
/// \param x  [..., S / cp, ...]
/// \return [..., S, ...]
torch::Tensor gather_context(const torch::Tensor& x, int64_t dim, const GroupPointer& ranks);

/// Makes each attention gather keys and values over the ranks; queries stay on their rank.
/// \param ranks  along cp
void apply_context_parallel(ModuleHooks& hooks, int64_t n_layers, const GroupPointer& ranks);

}  // namespace parity::reference
