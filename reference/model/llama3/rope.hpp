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

/// Turns neighbouring pairs (2j, 2j + 1) of each head by the table's row of their position.
///
/// \param x_BSHd  [B, S, H, hd]
/// \param table   [at least S, hd / 2] complex
/// \return same shape and dtype as x_BSHd
torch::Tensor apply_rope(const torch::Tensor& x_BSHd, const torch::Tensor& table);

}  // namespace parity::reference
