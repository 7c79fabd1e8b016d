// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <torch/types.h>

#include "reference/model/module_hooks.hpp"
#include "reference/model/parameter.hpp"

namespace parity::reference {

/// Takes each weight of a module under its name.
using WeightVisitor = std::function<void(const std::string& name, torch::Tensor& weight)>;

/// x W^T, a part of its own. \param weight  [rows, D]
torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight, const Part& part);

/// SwiGLU: w2 (silu(w1 x) * w3 x). Parts: w1, w2, w3.
struct FeedForward {
  torch::Tensor w1;  ///< [F, D]
  torch::Tensor w2;  ///< [D, F]
  torch::Tensor w3;  ///< [F, D]

  FeedForward() = default;
  /// Uninitialised. \param dim, hidden  D, F
  FeedForward(int64_t dim, int64_t hidden, const torch::TensorOptions& options);

  /// \param x  [..., D]. \return the same shape
  torch::Tensor forward(const torch::Tensor& x, const Part& part) const;
  void visit(const std::string& prefix, const WeightVisitor& visitor);
};

}  // namespace parity::reference
