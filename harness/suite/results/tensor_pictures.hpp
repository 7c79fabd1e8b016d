// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "harness/base/json/json.hpp"
#include "harness/compare/tensors/gap.hpp"
#include "harness/golden/content.hpp"
#include "harness/suite/judge/evidence.hpp"
#include "harness/suite/judge/judge_case.hpp"

namespace parity {

/// The difference of two tensors on a coarse grid: the largest |actual - expected| in each cell.
struct TensorPicture {
  TensorKey key;
  Shape shape;
  bool estimated = false;  ///< from sketches: one row of block sums instead of elements
  /// Rows of the tensor as a matrix: the product of all dimensions but the last.
  int64_t rows = 0;
  /// Columns: the last dimension; if estimated, the number of elements.
  int64_t columns = 0;
  std::vector<int64_t> row_starts = {}, column_starts = {};  ///< first row and column of each cell
  /// By row and column; NaN where a value is not finite and the bits differ.
  std::vector<std::vector<double>> cells = {};

  /// Returns the member `picture` of results.json (reports/RESULTS.md).
  Json to_json() const;
};

/// Returns the picture of a difference, at most 48 by 64 cells; nothing if the tensors are equal or cannot be
/// subtracted. Whole tensors give elements; sketches give the blocks of the flat tensor that differ.
std::optional<TensorPicture> picture_of(const TensorSource& expected, const TensorSource& actual);

/// Returns the pictures of a case by index in `judged`: at most 4, failures first.
///
/// A check of tensors that failed or found rounding has a picture of the tensor that its sentence names.
/// \param golden  content of the case's golden; empty without one
std::map<size_t, Json> tensor_pictures(const std::vector<JudgedCheck>& judged, const Evidence& evidence,
                                       const GoldenContent& golden);

}  // namespace parity
