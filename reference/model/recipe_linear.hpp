// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/types.h>

#include "reference/config/run_config.hpp"
#include "reference/model/decoder/decoder.hpp"
#include "reference/model/quantised.hpp"

namespace parity::reference {

/// Operands of the three products of a linear layer.
enum class LinearOperand { input, weight, gradient };

/// Returns how a recipe quantises an operand. Rows are what the product keeps, columns what it sums over.
///
/// | recipe        | block of weights | of inputs and gradients | format      | gradients |
/// |---------------|------------------|-------------------------|-------------|-----------|
/// | float8_tensor | whole            | whole                   | e4m3        | e5m2      |
/// | float8_row    | row              | row                     | e4m3        | e4m3      |
/// | float8_block  | 128 x 128        | 1 x 128                 | e4m3        | e4m3      |
/// | mxfp8         | 1 x 32           | 1 x 32                  | e4m3        | e4m3      |
/// | nvfp4         | 1 x 16           | 1 x 16                  | e2m1        | e2m1      |
///
/// Source: torchao's tensorwise and rowwise recipes; DeepSeek-V3, arXiv:2412.19437 3.3.2; OCP MX 1.0; NVIDIA,
/// arXiv:2509.25149, without its Hadamard transform and stochastic rounding.
Quantisation quantisation_of(const LinearConfig& config, LinearOperand operand);

/// Computes x W^T + bias with quantised operands, through autograd:
///
///   y = Q(x) Q(W)^T        x: [T, K], W: [N, K]
///   dx = Q(dy) Q(W^T)^T    dy: [T, N]
///   dW = Q(dy^T) Q(x^T)^T
///
/// Q quantises along the dimension that its product sums over, from the unrounded operand each time. The
/// values of Q are exact; products and sums are float32. The result has the dtype of x. In a twin Q rounds
/// nothing, and all else is the same.
/// \param x  [..., K]. \param bias  added after the product; undefined = none. \param rounds  not in a twin
torch::Tensor recipe_linear(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                            const LinearConfig& config, bool rounds = true);

/// Lets the linear layers of the model's blocks multiply by a recipe. The output projection and the modules
/// of multi-token prediction keep their precision.
/// \param model       with all parallelisms applied
/// \param parameters  of this rank, which tell matrices from vectors
/// \param rounds      not in a twin
void multiply_by_recipe(Decoder& model, const Parameters& parameters, const LinearConfig& config,
                        bool rounds);

}  // namespace parity::reference
