// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "reference/data/rows.hpp"

namespace parity::reference {

/// Which source each row of a blend comes from.
///
/// Row i comes from the source d with the largest w_d max(i, 1) - n_d, the first of several; w are the
/// weights over their sum, n_d the rows taken from d so far. After i rows each source has i w_d rows, to
/// within one or two. Source: Megatron-LM, megatron/core/datasets/helpers.cpp, build_blending_indices.
class Blend {
 public:
  /// \param weights  positive; one for each source
  explicit Blend(std::vector<double> weights);

  struct Place {
    size_t source = 0;
    int64_t row = 0;  ///< of that source
  };
  /// Returns where row `index` of the blend comes from. An index below the last one starts again from 0.
  Place at(int64_t index);
  /// Returns how many of the first `rows` rows come from each source.
  std::vector<int64_t> counts(int64_t rows) const;

 private:
  Place next();
  void restart();

  std::vector<double> weights_;  ///< their sum is 1
  std::vector<int64_t> taken_;
  int64_t next_index_ = 0;
};

/// Rows of several sources, blended by weights.
class BlendedRows : public Rows {
 public:
  BlendedRows(std::vector<std::unique_ptr<Rows>> sources, std::vector<double> weights)
      : sources_(std::move(sources)), blend_(std::move(weights)) {}

  Row row(int64_t index) override;
  bool positions_restart() const override;
  std::vector<int64_t> rows_by_source(int64_t rows) const override { return blend_.counts(rows); }

 private:
  std::vector<std::unique_ptr<Rows>> sources_;
  Blend blend_;
};

}  // namespace parity::reference
