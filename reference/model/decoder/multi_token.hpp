// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <torch/types.h>

#include "reference/model/decoder/blocks.hpp"
#include "reference/model/decoder/layers.hpp"

namespace parity::reference {

/// A module of multi-token prediction. Depth k = 1, 2, ... computes for the token at position i
///
///   h_k = norm(block(proj [hidden_norm(h_{k-1}), embedding_norm(embedding of token i + k)]))
///
/// h_0 are the model's hidden states after its final norm. The model's output projection of h_k predicts
/// token i + k + 1. Embedding and output projection are the model's own. The last k positions have no such
/// token: they take token 0, and no label of theirs counts.
///
/// Parts: hidden_norm, embedding_norm, proj, block with the parts of a block, norm.
/// Source: DeepSeek-V3 (arXiv:2412.19437), equations 21 to 23.
struct MultiTokenModule {
  Norm hidden_norm;     ///< [D]
  Norm embedding_norm;  ///< [D]
  torch::Tensor proj;   ///< [D, 2 D]; columns of the hidden state first
  Block block;
  Norm norm;  ///< [D]

  /// Allocates every weight without initialising it.
  MultiTokenModule(const ModelDimensions& dimensions, const torch::TensorOptions& options);
  void visit(const std::string& prefix, const WeightVisitor& visitor);
};

/// Returns tokens or labels moved `by` positions forward in each row; the last ones become `filler`.
/// \param x_BS  [B, S] int64
torch::Tensor moved_forward(const torch::Tensor& x_BS, int64_t by, int64_t filler);

/// Returns the labels of depth k: the model's own labels k positions further. A label does not count if its
/// token is beyond the row, or if a document ends between, so that the token is one of another document.
/// \param labels_BS     [B, S] int64; -100 does not count
/// \param documents_BS  [B, S] int64, the document of each token; undefined = each row is one
torch::Tensor further_labels(const torch::Tensor& labels_BS, const torch::Tensor& documents_BS,
                             int64_t depth);

}  // namespace parity::reference
