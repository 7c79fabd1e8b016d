// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/laws/muon/conventions.hpp"

namespace parity::laws {

/// The matrices of which a parameter consists, each orthogonalized by itself: the whole, each expert of
/// [E, A, B], or the queries, keys and values of a fused projection.
class MatrixBlocks {
 public:
  /// \param shape  of the parameter: [A, B], E matrices [E, A, B], or a kernel of a convolution [A, C, H, W],
  ///               which is a matrix [A, C H W] as in Keller Jordan's code. Empty for other shapes.
  explicit MatrixBlocks(const std::vector<int64_t>& shape);

  /// Returns the blocks of queries, keys and values. Empty if the heads do not give the rows.
  MatrixBlocks split(const FusedHeads& heads) const;
  /// Returns the blocks of the first, second and last third of the rows; empty if 3 does not divide them.
  MatrixBlocks thirds() const;

  bool empty() const { return rows_.empty(); }
  bool is_split() const { return rows_.size() > 1; }
  /// Returns rows columns min(rows, columns) of the largest block, which the time of Newton-Schulz follows.
  double work() const;

  /// Returns each block orthogonalized, at its place.
  std::vector<double> orthogonalized(const std::vector<double>& values, const NewtonSchulz& rule,
                                     SchulzArithmetic arithmetic) const;
  /// Returns each block divided by its norm, as before the first step of Newton-Schulz.
  std::vector<double> normalized(const std::vector<double>& values) const;
  /// Multiplies each block by its factor.
  std::vector<double> scaled(std::vector<double> values, MuonScale rule) const;

 private:
  MatrixBlocks() = default;
  std::vector<double> taken(const std::vector<double>& values, const std::vector<size_t>& rows) const;

  size_t columns_ = 0, all_rows_ = 0;
  std::vector<std::vector<size_t>> rows_;  ///< of each block
};

}  // namespace parity::laws
