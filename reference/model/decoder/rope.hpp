// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/types.h>

#include "reference/config/model_names.hpp"

namespace parity::reference {

/// Rotations of rotary position embedding: angles t f_j, f_j = theta^(-2j / hd), scaled as
/// Llama 3 where the model says so: f / 8 for wavelengths beyond 8192, f below 2048, a blend between.
///
/// \param dtype  float32 or float64: the arithmetic of the whole table
/// \return Rope::complex: [max_seq_len, hd / 2] complex64 or complex128, exp(i t f_j). Rope::rotate_half:
///         [max_seq_len, 2 hd] real, cosines and then sines of the angles twice over
/// Source: NUMERICS.md 4.1.
torch::Tensor rope_table(const ModelDimensions& dimensions, torch::ScalarType dtype);

/// The table's rows of each position, shaped to multiply heads.
///
/// \param table         from rope_table, of at least S positions
/// \param seq_len       S
/// \param positions_BS  [B, S] int64; undefined = 0 .. S-1 in every row
/// \return [S, 1, ...], or [B, S, 1, ...] with positions
torch::Tensor rope_turns(const torch::Tensor& table, int64_t seq_len, const torch::Tensor& positions_BS);

/// Turns elements (2j, 2j + 1) of each head, or of a rotate_half table (j, j + hd / 2).
///
/// \param x_BSHd  [B, S, H, hd]
/// \param turns   from rope_turns
/// \return same shape and dtype as x_BSHd
torch::Tensor apply_rope(const torch::Tensor& x_BSHd, const torch::Tensor& turns);

/// Rows of a projection to heads, or what comes of them, in the order with which rotate_half turns the pairs
/// that complex turns: of each head first the even rows, then the odd ones. What converts weights of
/// torchtitan's Llama to Hugging Face's does this.
///
/// \param weight  [heads hd, ...]
torch::Tensor permuted_for_rotate_half(const torch::Tensor& weight, int64_t head_dim);

}  // namespace parity::reference
