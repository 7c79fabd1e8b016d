// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reports/results.hpp"

namespace parity::reports {

/// Position of a check in its case -> the HTML of what is shown when it is opened.
using CheckDetails = std::map<size_t, std::string>;

/// The curves of a case in the order they are shown: loss, lr, grad_norm, then as in the file.
std::vector<const Curve*> shown_curves(const Case& item);

/// A check that agrees with the golden bit for bit. There are hundreds in a suite: the page lists them when
/// asked, and writes out only what changed.
bool is_quiet(const Check& check);

/// The JSON that the page's script reads, safe inside a <script> element ("<" is escaped).
///
///     {"texts": [..], "cases": [{"reference": 0, "arms": ["a", "b"],
///        "curves": [{"channel", "steps": [..], "series": [[arm, [values]]], "gap", "golden", "floor"}],
///        "runs": [[["Provenance", [[key, value], ..]], ..] of each arm],
///        "masks": [{"arms", "first_token", "documents"}],
///        "golden": [[quantity, sides, sentence] of each quiet check],
///        "tensors": {check: {"metrics": [..], "rows": [[name, step, phase, identical, metric ..], ..]}},
///        "details": {check: HTML, escaped already},
///        "pictures": {check: {"rows", "columns", "row_starts", "column_starts", "estimated", "cells"}}}]}
///
/// Arms are referred to by number, as are names, phases, keys and values (in texts). Values are numbers,
/// null, or "nan", "inf", "-inf". A row of an identical tensor ends after its phase if its metrics are all 0.
///
/// \param details  of each case, as CaseSection gives them
std::string page_data(const Results& results, const std::vector<CheckDetails>& details = {});

}  // namespace parity::reports
