// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <torch/types.h>

#include "reference/model/decoder/layers.hpp"

namespace parity::reference {

/// A feed-forward layer of one of two kinds. Parts: w1, w2, w3.
///
///   SwiGLU  w2 (silu(w1 x) * w3 x)
///   GELU    w2 gelu(w1 x), approximated by tanh, without w3
struct FeedForward {
  Linear w1;  ///< [F, D]
  Linear w2;  ///< [D, F]
  Linear w3;  ///< [F, D]

  FeedForward() = default;
  /// Allocates a SwiGLU layer without biases, without initialising it. \param dim, hidden  D, F
  FeedForward(int64_t dim, int64_t hidden, const torch::TensorOptions& options);
  /// Allocates the layer of a model's dense blocks without initialising it.
  FeedForward(const ModelDimensions& dimensions, const torch::TensorOptions& options);

  /// \param x  [..., D]. \return the same shape
  torch::Tensor forward(const torch::Tensor& x, const Part& part) const;
  void visit(const std::string& prefix, const WeightVisitor& visitor);
};

}  // namespace parity::reference
