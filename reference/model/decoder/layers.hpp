// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include <torch/types.h>

#include "reference/model/module_hooks.hpp"

namespace parity::reference {

/// Receives each weight of a module with its name.
using WeightVisitor = std::function<void(const std::string& name, torch::Tensor& weight)>;

/// Returns x W^T, as the model's part `part`. \param weight  [rows, D]
torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight, const Part& part);
/// Returns the same of a weight whose columns tensor parallelism shards.
torch::Tensor row_parallel_linear(const torch::Tensor& x, const torch::Tensor& weight, const Part& part);

/// RMS norm: x / sqrt(mean(x^2) + eps) weight, over the last dimension.
struct RmsNorm {
  torch::Tensor weight;  ///< [D]
  double eps = 1e-5;

  torch::Tensor forward(const torch::Tensor& x_BSD, const Part& part) const;
};

}  // namespace parity::reference
