// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <torch/types.h>

#include "reference/config/run_config.hpp"

namespace parity::reference {

/// Coefficients of one step of Newton-Schulz: a x + b x^3 + c x^5, of each singular value x.
struct Quintic {
  double a = 0, b = 0, c = 0;
};

/// Returns the coefficients of every step of a config.
std::vector<Quintic> newton_schulz_steps(const MuonConfig& config);

/// Returns the dtype in which Newton-Schulz computes: bfloat16 if the config says so, but for a float64 twin,
/// else the parameter's, at least float32.
torch::ScalarType newton_schulz_dtype(NewtonSchulzPrecision precision, torch::ScalarType parameter);

/// Returns the matrix with singular values near 1, by Newton-Schulz:
///
///   X = G / max(||G||_F, eps);  for each step: X = a X + (b A + c A A) X with A = X X^T
///
/// A matrix with more rows than columns is transposed first, and back afterwards.
/// \param matrix  [A, B], or [E, A, B] for E matrices, each by itself
/// \return the same shape in `dtype`
/// The bits are those of torch.optim.Muon if dtype is bfloat16.
/// Source: Keller Jordan, "Muon: An optimizer for hidden layers in neural networks".
torch::Tensor orthogonalized(const torch::Tensor& matrix, const std::vector<Quintic>& steps, double eps,
                             torch::ScalarType dtype);

}  // namespace parity::reference
