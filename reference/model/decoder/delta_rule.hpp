// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <torch/types.h>

namespace parity::reference {

// Shapes: B rows, H heads, S positions, d width of queries and keys, e width of values.

/// What the gated delta rule takes, all of one dtype, at least float32.
struct DeltaInput {
  torch::Tensor q_BHSd;  ///< scaled
  torch::Tensor k_BHSd;  ///< of length 1
  torch::Tensor v_BHSe;
  torch::Tensor g_BHS;         ///< logarithm of the decay, at most 0
  torch::Tensor beta_BHS;      ///< share of a key's value that is replaced
  torch::Tensor documents_BS;  ///< int64, equal within a document; undefined = one document a row
};

/// Computes the gated delta rule token by token. A state, [d, e] for each head, begins empty at each
/// document:
///
///   S'  = exp(g_t) S_(t-1)                        0 where a document begins
///   u_t = beta_t (v_t - S'^T k_t)                 what the key's value lacks
///   S_t = S' + k_t u_t^T
///   o_t = S_t^T q_t
///
/// \return o, [B, H, S, e]
/// Source: Gated Delta Networks (arXiv:2412.06464), equation 10.
torch::Tensor recurrent_delta_rule(const DeltaInput& input);

/// Computes the same in chunks of C tokens. Let S be the state before a chunk and G the sum of g from its
/// first token on; rows are its tokens. L_ij = exp(G_i - G_j) for j <= i within a document, 0 elsewhere. c_i
/// is 1 for tokens of the document before the chunk, r_i for tokens of its last document, 0 for others.
///
///   (I + tril(diag(beta) K K^T * L, -1)) [U W] = diag(beta) [V, diag(c exp(G)) K]
///   D = U - W S                                              the u_t of all tokens
///   O = diag(c exp(G)) Q S + (Q K^T * L) D
///   S <- c_C exp(G_C) S + (diag(r exp(G_C - G)) K)^T D
///
/// The last chunk is filled up with tokens whose keys, values and g are 0, which change no state.
///
/// \param chunk  C, at least 1
/// \param keeps_state  false: every chunk begins with an empty state, a planted defect
/// \return o, [B, H, S, e]
/// Source: Gated Delta Networks (arXiv:2412.06464), section 3.3, which multiplies by the inverse.
torch::Tensor chunked_delta_rule(const DeltaInput& input, int64_t chunk, bool keeps_state = true);

}  // namespace parity::reference
