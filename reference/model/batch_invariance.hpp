// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/types.h>

#include "reference/model/module_hooks.hpp"

namespace parity::reference {

/// x W^T in tiles of 16 tokens, the last one filled up with zeros, so that every product has one shape and a
/// token's row is added in one order, however many tokens there are. Backward: the ordinary products.
///
/// \param x       [..., D], on the CPU
/// \param weight  [rows, D], same dtype
/// \return [..., rows]
torch::Tensor tiled_linear(const torch::Tensor& x, const torch::Tensor& weight);

/// silu(x), every element by the same instructions: rows are filled up to whole vectors, since PyTorch takes
/// what is left over at the end of a tensor by itself, and its exponential rounds otherwise than a vector's.
torch::Tensor even_silu(const torch::Tensor& x);

/// Makes a model without experts compute a token's bits from its own sequence alone, in its forward pass, if
/// it attends by AttentionBackend::tiled, on one thread, and sums over at most two ranks. What is left are
/// operators that take a token by itself: embedding, norms, RoPE, sums and products of elements.
/// Source: NUMERICS.md 8.4.
void make_batch_invariant(ModuleHooks& hooks);

}  // namespace parity::reference
