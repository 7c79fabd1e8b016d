// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "harness/base/json.hpp"
#include "harness/compare/tensor_gap.hpp"
#include "harness/golden/content.hpp"
#include "harness/suite/judge/evidence.hpp"
#include "harness/suite/judge/judge_case.hpp"

namespace parity {

/// How two tensors differ, seen from far: |a - e| over a grid, the largest of each cell.
struct TensorPicture {
  TensorKey key;
  Shape shape;
  bool estimated = false;  ///< from sketches: one row of block sums, not elements
  int64_t rows = 0;        ///< of the tensor as a matrix: all dimensions but the last, by the last
  int64_t columns = 0;     ///< estimated: the number of elements
  std::vector<int64_t> row_starts = {}, column_starts = {};  ///< first row and column of each cell
  std::vector<std::vector<double>> cells = {};  ///< NaN where a side is not finite and the bits differ

  Json to_json() const;  ///< `picture` of results.json (reports/RESULTS.md)
};

/// Nothing if the two are the same, or cannot be subtracted. At most 48 by 64 cells. Whole tensors give
/// elements, sketches what their blocks tell: the part of the flat tensor that differs.
std::optional<TensorPicture> picture_of(const TensorSource& expected, const TensorSource& actual);

/// The pictures of a case: for each check of tensors that failed or found rounding the tensor that its
/// sentence is about, at most 4, failures first.
///
/// \param golden  what the case's golden holds; empty without one
/// \return position in `judged` -> picture
std::map<size_t, Json> tensor_pictures(const std::vector<JudgedCheck>& judged, const Evidence& evidence,
                                       const GoldenContent& golden);

}  // namespace parity
