// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reports/model/json_node.hpp"

namespace parity::reports {

/// A coarse map of the differences of one tensor: the largest |difference| in each cell of a grid.
struct TensorPicture {
  int64_t step = 0;
  std::string phase, tensor;
  std::vector<int64_t> shape;
  bool estimated = false;              ///< one row of block sums over the flat tensor, not elements
  int64_t rows = 0, columns = 0;       ///< of the tensor as a matrix
  std::vector<int64_t> row_starts;     ///< first row of each cell
  std::vector<int64_t> column_starts;  ///< first column of each cell
  std::vector<std::vector<double>> cells;

  std::string shape_words() const;  ///< "256 × 64"
  size_t differing() const;         ///< cells that are not 0
  size_t count() const { return row_starts.size() * column_starts.size(); }
};

/// Reads `picture` of a check. \throws UserError naming the field that is wrong
TensorPicture read_tensor_picture(const JsonNode& node);

/// Returns where the tensor differs, for readers who cannot see the picture: "grad layers.1.wq.weight (256 ×
/// 64) at update 1: differs in 96 of 3072 cells, all in rows 32-47; largest 2.3e-07".
std::string picture_sentence(const TensorPicture& picture);

}  // namespace parity::reports
