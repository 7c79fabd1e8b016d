// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include <torch/types.h>

#include "reference/model/module_hooks.hpp"

namespace parity::reference {

/// Takes each weight of a module under its name.
using WeightVisitor = std::function<void(const std::string& name, torch::Tensor& weight)>;

/// x W^T, a part of its own. \param weight  [rows, D]
torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight, const Part& part);

/// x / sqrt(mean(x^2) + eps) weight, over the last dimension.
struct RmsNorm {
  torch::Tensor weight;  ///< [D]
  double eps = 1e-5;

  torch::Tensor forward(const torch::Tensor& x_BSD, const Part& part) const;
};

}  // namespace parity::reference
