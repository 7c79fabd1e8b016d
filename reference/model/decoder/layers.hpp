// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include <torch/types.h>

#include "reference/config/model_names.hpp"
#include "reference/model/module_hooks.hpp"

namespace parity::reference {

/// Receives each weight of a module with its name.
using WeightVisitor = std::function<void(const std::string& name, torch::Tensor& weight)>;

/// Returns x W^T, as the model's part `part`. \param weight  [rows, D]
torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight, const Part& part);
/// Returns the same of a weight whose columns tensor parallelism shards.
torch::Tensor row_parallel_linear(const torch::Tensor& x, const torch::Tensor& weight, const Part& part);

/// A low-rank adapter of a linear layer. No matrices = none.
///
///   unmerged  y = x W^T + scale ((x A^T) B^T)
///   merged    y = x (W + scale (B A))^T
struct Adapter {
  torch::Tensor a;  ///< A, [rank, columns of W]
  torch::Tensor b;  ///< B, [rows of W, rank]
  double scale = 1;
  bool merged = false;
};

/// A linear layer: y = x W^T + bias, with an adapter if it has one. Its part has the layer's name.
struct Linear {
  torch::Tensor weight;  ///< W, [rows, columns]
  torch::Tensor bias;    ///< [rows]; undefined = none
  Adapter adapter;
  bool is_row_parallel = false;  ///< tensor parallelism shards its columns (wo, w2)

  Linear() = default;
  /// Allocates the weights without initialising them.
  /// \param target  of the model's adapters
  Linear(const ModelDimensions& dimensions, LoraTarget target, int64_t rows, int64_t columns, bool has_bias,
         const torch::TensorOptions& options);

  /// \param x  [..., columns]. \return [..., rows]
  torch::Tensor forward(const torch::Tensor& x, const Part& part) const;
  /// Visits NAME.weight, NAME.bias, NAME.lora_a.weight and NAME.lora_b.weight, as far as there are any.
  void visit(const std::string& name, const WeightVisitor& visitor);
};

/// A norm over the last dimension, of one of two kinds:
///
///   RMSNorm    x / sqrt(mean(x^2) + eps) weight
///   LayerNorm  (x - mean(x)) / sqrt(var(x) + eps) weight + bias, if it has a bias
struct Norm {
  torch::Tensor weight;  ///< [D]
  double eps = 1e-5;
  torch::Tensor bias = {};  ///< [D]

  Norm() = default;
  Norm(torch::Tensor own_weight, double own_eps) : weight(std::move(own_weight)), eps(own_eps) {}
  /// Allocates a norm of the model's kind without initialising it. \param width  D
  Norm(const ModelDimensions& dimensions, int64_t width, const torch::TensorOptions& options);

  torch::Tensor forward(const torch::Tensor& x_BSD, const Part& part) const;
  /// Visits NAME.weight, and NAME.bias if there is one.
  void visit(const std::string& name, const WeightVisitor& visitor);
};

}  // namespace parity::reference
