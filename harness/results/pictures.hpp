// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace parity::results {

/// The query-key pairs of one row that attend, under the rules of one or two arms.
struct MaskPicture {
  int64_t step = 0;
  int64_t row = 0;
  int64_t first_token = 0;                           ///< first shown token of the row
  int64_t tokens = 0;                                ///< of the whole row
  std::vector<std::string> arms = {};                ///< one or two
  std::vector<std::vector<int64_t>> documents = {};  ///< arm -> [shown tokens] document of each token
  /// arm -> [shown tokens] first key that each token attends to, counted from the row's first. Empty if
  /// documents decide.
  std::vector<std::vector<int64_t>> first_keys = {};
  int64_t both = 0, only_first = 0, only_second = 0;  ///< pairs of the whole row

  bool same() const { return only_first == 0 && only_second == 0; }
};

/// The differences of one tensor on a coarse grid: the largest |difference| in each cell.
struct TensorPicture {
  int64_t step = 0;
  std::string phase, tensor;
  std::vector<int64_t> shape;
  bool estimated = false;  ///< one row of block sums over the flat tensor, not elements
  /// Of the tensor as a matrix: all dimensions except the last, by the last. If `estimated`, `columns` is the
  /// number of elements.
  int64_t rows = 0, columns = 0;
  std::vector<int64_t> row_starts = {};         ///< first row of each cell
  std::vector<int64_t> column_starts = {};      ///< first column of each cell
  std::vector<std::vector<double>> cells = {};  ///< by row and column; NaN where a side is not finite

  size_t differing() const;  ///< cells that are not 0
  size_t count() const { return row_starts.size() * column_starts.size(); }
};

}  // namespace parity::results
