// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/checkpoints/match/finding.hpp"

namespace parity::checkpoints {

/// A row for each block and a column for each kind of tensor that differs somewhere, the worst kind first.
/// Neighbouring blocks that agree share one row.
struct HeatMap {
  struct Cell {
    /// | "="        | the tensors agree                                               |
    /// | a number   | relative L2 difference                                          |
    /// | "rule"     | the bits agree by another rule than the names call for          |
    /// | "one side" | the other checkpoint has no such tensor                         |
    /// | ""         | no side has such a tensor                                       |
    std::string text;
    double heat = 0;  ///< 0 for tensors that agree, else from 0.1 for a gap of 1e-16 to 1 for a gap of 1
  };
  struct Row {
    std::string blocks;  ///< "3" or "4-7"
    std::vector<Cell> cells;
  };
  std::vector<std::string> columns;  ///< kinds of tensors
  std::vector<Row> rows;             ///< empty if there are fewer than two blocks or nothing differs

  /// Returns the map as a table of at most `most` columns, and the number of the others; "" without rows.
  std::string text(size_t most) const;
};

HeatMap heat_map(const std::vector<Finding>& findings);

}  // namespace parity::checkpoints
