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

/// The dimension of a matrix that ranks share, each with a shard of it.
enum class SharedDimension { none, rows, columns };

/// How ranks share a matrix.
struct MatrixShards {
  SharedDimension dimension = SharedDimension::none;
  MaxOverRanks max = {};  ///< over these ranks; needed if a dimension is shared
};

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
///
/// Scales that reach over a shared dimension are those of all ranks, unless linear.tp_scales = "shard".
/// Blocks of 16 and more along it lie on one rank.
/// \param shards  of the operand
Quantisation quantisation_of(const LinearConfig& config, LinearOperand operand,
                             const MatrixShards& shards = {});

/// Computes x W^T + bias with quantised operands, through autograd:
///
///   y = Q(x) Q(W)^T        x: [T, K], W: [N, K]
///   dx = Q(dy) Q(W^T)^T    dy: [T, N]
///   dW = Q(dy^T) Q(x^T)^T
///
/// Q quantises along the dimension that its product sums over, from the unrounded operand each time. The
/// values of Q are exact; products and sums are float32. The result has the dtype of x. In a twin Q rounds
/// nothing, and all else is the same.
/// If ranks share the rows of W, they have all of x and share the columns of y. If they share its columns,
/// they share those of x, and each y is a term of a sum. The operands' values are those of one process.
/// \param x  [..., K]. \param bias  added after the product; undefined = none. \param rounds  not in a twin
/// \param shards  of W
torch::Tensor recipe_linear(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                            const LinearConfig& config, bool rounds = true, const MatrixShards& shards = {});

/// Lets the linear layers of the model's blocks multiply by a recipe, and the experts, each on its own: the
/// scales of an expert are those of its tokens and its matrices. The output projection, routers, adapters and
/// the modules of multi-token prediction keep their precision.
///
/// So an expert's products have the same bits wherever its tokens are complete and in order, as they are on
/// the rank of expert parallel that has it. Source: torchao's scaled grouped product, whose scales of weight
/// gradients end at each group; Transformer Engine's GroupedLinear, with a quantizer for each expert.
/// \param model       with all parallelisms applied
/// \param parameters  of this rank, which tell matrices from vectors
/// \param rounds      not in a twin
/// \param max  over the ranks of tensor parallelism: they share the columns of wo and w2, and the rows of all
///             other matrices; empty = one rank
void multiply_by_recipe(Decoder& model, const Parameters& parameters, const LinearConfig& config, bool rounds,
                        const MaxOverRanks& max = {});

}  // namespace parity::reference
