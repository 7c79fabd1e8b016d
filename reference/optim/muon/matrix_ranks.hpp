// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <torch/types.h>

namespace parity::reference {

/// A function of whole matrices that an optimizer applies to the shards which ranks hold of them.
struct MatrixWork {
  int64_t count = 0;  ///< of matrices, numbered from 0
  /// Returns this rank's shard of matrix i.
  std::function<torch::Tensor(int64_t i)> shard = {};
  /// Returns the function's value for a whole matrix, of the same shape.
  std::function<torch::Tensor(int64_t i, const torch::Tensor& whole)> function = {};
  /// Takes this rank's shard of the value.
  std::function<void(int64_t i, const torch::Tensor& shard)> use = {};
};

/// Ranks that hold shards of matrices. They do the same work in the same order.
class MatrixRanks {
 public:
  virtual ~MatrixRanks() = default;
  /// Calls work.use() once for each matrix, in order.
  virtual void run(const MatrixWork& work) const = 0;
};

/// Treats what a rank holds as a matrix of its own: of one process, or by blocks.
class OwnMatrices : public MatrixRanks {
 public:
  void run(const MatrixWork& work) const override {
    for (int64_t i = 0; i < work.count; ++i)
      work.use(i, work.function(i, work.shard(i)));
  }
};

/// What an optimizer of whole tensors needs besides config and parameters.
struct MatrixContext {
  /// Which ranks hold shards of the parameters that the optimizer takes whole, in order: Muon of
  /// is_muon_matrix, Adafactor of all.
  std::shared_ptr<const MatrixRanks> ranks = std::make_shared<OwnMatrices>();
  /// For Muon, of fused q, k and v: queries for each key head, and the width of a head.
  int64_t sharing = 1, head_dim = 1;
};

}  // namespace parity::reference
