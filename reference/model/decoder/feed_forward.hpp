// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <torch/types.h>

#include "reference/model/decoder/layers.hpp"

namespace parity::reference {

/// A SwiGLU feed-forward layer: w2 (silu(w1 x) * w3 x). Parts: w1, w2, w3.
struct FeedForward {
  torch::Tensor w1;  ///< [F, D]
  torch::Tensor w2;  ///< [D, F]
  torch::Tensor w3;  ///< [F, D]

  FeedForward() = default;
  /// Allocates the weights without initialising them. \param dim, hidden  D, F
  FeedForward(int64_t dim, int64_t hidden, const torch::TensorOptions& options);

  /// \param x  [..., D]. \return the same shape
  torch::Tensor forward(const torch::Tensor& x, const Part& part) const;
  void visit(const std::string& prefix, const WeightVisitor& visitor);
};

}  // namespace parity::reference
