// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reports/model/case.hpp"

namespace parity::reports {

/// One row of the table that shows what a check found.
struct FindingRow {
  std::string label;
  std::string value;       ///< one line, not escaped
  bool is_number = false;  ///< shown in a fixed-width font
};

/// Returns the rows of a check's finding: where, expected, actual, distance, limit, looks like. Leaves out
/// rows without a value.
std::vector<FindingRow> finding_rows(const Check& check);

/// Returns the distance of the two sides of a check: "1 ULP, relative L2 6.8e-08, 3.2 floors"; "" if none was
/// measured.
std::string distance_label(const Check& check);

}  // namespace parity::reports
