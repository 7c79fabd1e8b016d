// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/types.h>

#include "reference/config/model_names.hpp"

namespace parity::reference {

/// Rotations of rotary position embedding: table[t, j] = exp(i t f_j), f_j = theta^(-2j / hd), scaled as
/// Llama 3 where the model says so: f / 8 for wavelengths beyond 8192, f below 2048, a blend between.
///
/// \param dtype  float32 or float64: the arithmetic of the whole table
/// \return [max_seq_len, hd / 2] complex64 or complex128
/// Source: NUMERICS.md 4.1.
torch::Tensor rope_table(const Llama3Dimensions& dimensions, torch::ScalarType dtype);

/// The table's rows of each position, shaped to multiply heads.
///
/// \param table         [at least S, hd / 2] complex
/// \param seq_len       S
/// \param positions_BS  [B, S] int64; undefined = 0 .. S-1 in every row
/// \return [S, 1, hd / 2], or [B, S, 1, hd / 2] with positions
torch::Tensor rope_turns(const torch::Tensor& table, int64_t seq_len, const torch::Tensor& positions_BS);

/// Turns neighbouring pairs (2j, 2j + 1) of each head.
///
/// \param x_BSHd  [B, S, H, hd]
/// \param turns   from rope_turns
/// \return same shape and dtype as x_BSHd
torch::Tensor apply_rope(const torch::Tensor& x_BSHd, const torch::Tensor& turns);

}  // namespace parity::reference
