// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reports/results.hpp"

namespace parity::reports {

/// The curves of a case in the order they are shown: loss, lr, grad_norm, then as in the file.
std::vector<const Curve*> shown_curves(const Case& item);

/// The JSON that the page's script reads, safe inside a <script> element ("<" is escaped).
///
///     {"cases": [{"reference": 0, "arms": ["a", "b"],
///        "curves": [{"channel", "steps": [..], "series": [[arm, [values]]], "gap": [..], "golden": [..],
///        "floor": [..]}], "runs": [[["Provenance", [[key, value], ..]], ..] of each arm], "tensors": [[row,
///        ..] of each check]}]}
///
/// Arms are referred to by number. Values are numbers, null, or "nan", "inf", "-inf".
std::string page_data(const Results& results);

}  // namespace parity::reports
