// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/types.h>

#include "reference/config/model_names.hpp"
#include "reference/model/module_hooks.hpp"

namespace parity::reference {

/// Returns the table of rotary position embedding. The angle of position t is t f_j, f_j = theta^(-2j / hd),
/// for the hd elements of a head that are rotated. The model's scaling changes f:
///
/// | llama3 | f / 8 for wavelengths beyond 8192, f below 2048, a blend between               |
/// | llama4 | f / 16 for wavelengths beyond 8192, f below                                   |
/// | yarn   | r f / 40 + (1 - r) f, where r rises from 0 at j = low to 1 at j = high:       |
/// |        | low = floor(c(32)), high = ceil(c(1)), c(n) = hd ln(4096 / 2 pi n) / (2 ln theta) |
///
/// \param dtype  float32 or float64: the arithmetic of the whole table
/// \return Rope::complex: [max_seq_len, hd / 2] complex64 or complex128, exp(i t f_j). Rope::rotate_half:
///         [max_seq_len, 2 hd] real, cosines and then sines of the angles twice over
/// Source: NUMERICS.md 4.1; YaRN (arXiv:2309.00071).
torch::Tensor rope_table(const ModelDimensions& dimensions, torch::ScalarType dtype);

/// Returns the factor of q k^T in latent attention: head_dim^-0.5, with YaRN times (0.1 mscale ln 40 + 1)^2.
/// Source: NUMERICS.md 4.4.
double latent_scale(const ModelDimensions& dimensions);

/// Returns the table's row of each position, in a shape that multiplies heads.
///
/// \param table         from rope_table, of at least S positions
/// \param seq_len       S
/// \param positions_BS  [B, S] int64; undefined = 0 .. S-1 in every row
/// \return [S, 1, ...], or [B, S, 1, ...] with positions
torch::Tensor rope_turns(const torch::Tensor& table, int64_t seq_len, const torch::Tensor& positions_BS);

/// Rotates elements (2j, 2j + 1) of each head, or (j, j + hd / 2) with a rotate_half table.
///
/// \param x_BSHd  [B, S, H, hd]
/// \param turns   from rope_turns
/// \return same shape and dtype as x_BSHd
torch::Tensor apply_rope(const torch::Tensor& x_BSHd, const torch::Tensor& turns,
                         const ModuleHooks::Operators& operators = {});

/// Reorders the rows of a projection to heads, so that rotate_half rotates the pairs that Rope::complex does.
/// Each head gets first its even rows, then its odd rows. It also works on the results of such a projection.
/// Converting weights of torchtitan's Llama to Hugging Face's uses it.
///
/// \param weight  [heads hd, ...]
torch::Tensor permuted_for_rotate_half(const torch::Tensor& weight, int64_t head_dim);

/// Returns the order that permuted_for_rotate_half() started from.
torch::Tensor permuted_for_complex(const torch::Tensor& weight, int64_t head_dim);

}  // namespace parity::reference
